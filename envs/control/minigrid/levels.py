"""The levels of the `minigrid` package with an exact oracle.

Those whose missions the oracle can solve exactly and in bounded time; a test plays every one. Left
out: moving obstacles, levels that need the action "done" or that hide a key in a box, missions in
which a wrong action fails, and mazes of many rooms with their thousands of orders of doors.

"Minigrid & Miniworld" (2023, arXiv 2306.13831); the BabyAI levels are those of "BabyAI: A Platform
to Study the Sample Efficiency of Grounded Language Learning" (2018, arXiv 1810.08272).
"""

from collections.abc import Mapping
from types import MappingProxyType

_THINGS = ("things", "colors")
_KEY_CORRIDOR = ("ball", "key", "door", "colors")
_UNLOCK = ("key", "door", "colors")

# The things of every episode of a level: see `tasks.named_tasks`.
LEVELS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Empty-5x5": ("goal",),
        "Empty-Random-6x6": ("goal",),
        "Empty-8x8": ("goal",),
        "FourRooms": ("goal",),
        "SimpleCrossingS9N1": ("goal",),
        "SimpleCrossingS9N3": ("goal",),
        "LavaGapS5": ("goal",),
        "LavaGapS7": ("goal",),
        "LavaCrossingS9N1": ("goal",),
        "LavaCrossingS9N2": ("goal",),
        "DistShift1": ("goal",),
        "DistShift2": ("goal",),
        "DoorKey-5x5": ("goal", "key", "door"),
        "DoorKey-6x6": ("goal", "key", "door"),
        "DoorKey-8x8": ("goal", "key", "door"),
        "MultiRoom-N2-S4": ("goal", "door"),
        "Unlock": _UNLOCK,
        "UnlockPickup": ("box", "key", "door", "colors"),
        "BlockedUnlockPickup": ("box", "ball", "key", "door", "colors"),
        "KeyCorridorS3R1": _KEY_CORRIDOR,
        "KeyCorridorS3R2": _KEY_CORRIDOR,
        "KeyCorridorS3R3": _KEY_CORRIDOR,
        "KeyCorridorS4R3": _KEY_CORRIDOR,
        "BabyAI-GoToRedBallGrey": _THINGS,
        "BabyAI-GoToRedBall": _THINGS,
        "BabyAI-GoToRedBlueBall": _THINGS,
        "BabyAI-GoToObj": _THINGS,
        "BabyAI-GoToLocal": _THINGS,
        "BabyAI-GoToDoor": ("door", "colors"),
        "BabyAI-GoToObjDoor": (*_THINGS, "door"),
        "BabyAI-PickupLoc": _THINGS,
        "BabyAI-PickupDist": _THINGS,
        "BabyAI-PutNextLocal": _THINGS,
        "BabyAI-PutNextS4N1": _THINGS,
        "BabyAI-OpenRedDoor": ("door",),
        "BabyAI-OpenDoor": ("door", "colors"),
        "BabyAI-OpenTwoDoors": ("door", "colors"),
        "BabyAI-UnlockLocal": _UNLOCK,
        "BabyAI-ActionObjDoor": (*_THINGS, "door"),
        "BabyAI-OneRoomS8": _THINGS,
        "BabyAI-FindObjS5": _THINGS,
        "BabyAI-PickupAbove": _THINGS,
        "BabyAI-MoveTwoAcrossS5N2": _THINGS,
        "BabyAI-GoToObjMazeS4R2": _THINGS,
        "BabyAI-GoToSeqS5R2": _THINGS,
        "BabyAI-OpenDoorsOrderN2": ("door", "colors"),
        "BabyAI-UnlockPickup": ("box", *_UNLOCK),
    }
)


def package_id(level: str) -> str:
    """Return the id under which the package registers a level."""
    return f"{level}-v0" if level.startswith("BabyAI-") else f"MiniGrid-{level}-v0"
