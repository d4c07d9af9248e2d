"""Rewards of pointing at an element of a screen: hit, overlap, size of the box, kind of action.

The formulas are those of the papers' public code. Left out: rewards that fall with the distance to
the middle of the box, and the weights of examples by the size of their box (a curriculum's).
"""

import re

Box = tuple[float, float, float, float]  # left, top, right, bottom, in pixels

IOU_WEIGHT, SIZE_WEIGHT = 0.25, 0.125  # of GUI-G1's sum
GUI_G1_MOST = 1.0 + IOU_WEIGHT + SIZE_WEIGHT  # the sum for the right box
_FORMAT = re.compile(r"<think>.*?</think>\s*<answer>.*?</answer>", re.DOTALL)


def hit_reward(x: float, y: float, target: Box) -> float:
    """Return 1 if a point lies in the target box or on its edge, else 0.

    Example:
        >>> hit_reward(10, 5, (0, 0, 10, 10)), hit_reward(11, 5, (0, 0, 10, 10))
        (1.0, 0.0)
    """
    left, top, right, bottom = target
    return float(left <= x <= right and top <= y <= bottom)


def iou_reward(box: Box, target: Box) -> float:
    """Return intersection over union of two boxes, in [0, 1]; 0 for a box without area.

    Areas are those of rectangles in the plane. GUI-G1's code counts an intersection of a single row
    or column of pixels as none; elsewhere the two agree.

    Example:
        >>> iou_reward((0, 0, 2, 2), (1, 0, 3, 2))
        0.3333333333333333
    """
    width = min(box[2], target[2]) - max(box[0], target[0])
    height = min(box[3], target[3]) - max(box[1], target[1])
    areas = [(b[2] - b[0]) * (b[3] - b[1]) for b in (box, target)]
    if width <= 0 or height <= 0 or box[2] <= box[0] or box[3] <= box[1]:
        return 0.0
    return width * height / (sum(areas) - width * height)


def size_reward(box: Box, target: Box, width: float, height: float) -> float:
    """Return how near the four edges of a box are to the target's, in [0, 1].

    The harmonic mean over the edges of 1 minus the distance as a share of the screen; 0 if an edge
    is as far away as the screen is wide or high.

    Args:
        box: The predicted box.
        target: The right box.
        width: Of the screen, in pixels.
        height: Of the screen, in pixels.

    Example:
        >>> size_reward((0, 0, 50, 50), (0, 0, 50, 50), 100, 100)
        1.0
    """
    sizes = (width, height, width, height)
    near = [1 - abs(a - b) / size for a, b, size in zip(box, target, sizes, strict=True)]
    return len(near) / sum(1 / edge for edge in near) if min(near) > 0 else 0.0


def gui_g1_reward(box: Box, target: Box, width: float, height: float) -> float:
    """Return GUI-G1's sum: hit of the middle + 0.25 overlap + 0.125 size, at most 1.375.

    The hit alone lets boxes shrink, the overlap alone lets them grow; the third term ties their
    size ("GUI-G1: Understanding R1-Zero-Like Training for Visual Grounding in GUI Agents", 2025,
    arXiv 2505.15810).

    Args:
        box: The predicted box.
        target: The right box.
        width: Of the screen, in pixels.
        height: Of the screen, in pixels.
    """
    hit = hit_reward((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, target)
    overlap, size = iou_reward(box, target), size_reward(box, target, width, height)
    return hit + IOU_WEIGHT * overlap + SIZE_WEIGHT * size


def ui_r1_reward(
    action: str,
    point: tuple[float, float] | None,
    right_action: str,
    target: Box | None,
    reply: str | None = None,
) -> float:
    """Return UI-R1's sum of up to three rewards of 0 or 1: kind of action, coordinates, format.

    The coordinates count only for the right kind; for a kind without a target they are right with
    it ("UI-R1: Enhancing Efficient Action Prediction of GUI Agents by Reinforcement Learning",
    2025, arXiv 2503.21620).

    Args:
        action: The predicted kind of action.
        point: The predicted point, in pixels; None if there is none.
        right_action: The right kind of action.
        target: The box that the point has to hit; None for an action without a point.
        reply: The whole reply, for the reward of the format: thoughts in `<think>` tags, then the
            answer in `<answer>` tags, and nothing else. None leaves this reward out.
    """
    kind = float(action == right_action)
    hit = target is None or (point is not None and hit_reward(*point, target) == 1.0)
    formatted = reply is not None and _FORMAT.fullmatch(reply) is not None
    return kind + kind * hit + formatted
