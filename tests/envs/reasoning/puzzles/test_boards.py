"""Mazes, rooms with keys and Sokoban against other rules and other searches."""

import heapq
import itertools
from collections import Counter

import numpy as np
import pytest

from helpers.reasoning_problems import disturbed, draw_problems
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.planning.grid_plan import GridPlanEnv
from zerogym.envs.reasoning.planning.moves import parse_moves
from zerogym.envs.reasoning.puzzles.maze import MazeEnv
from zerogym.envs.reasoning.puzzles.maze_map import COLOURS, MAX_PATH, MAX_RUN, SIDE, draw_maze
from zerogym.envs.reasoning.puzzles.sokoban import SokobanEnv
from zerogym.errors import UnknownName

LEVELS = (0.0, 1.0, 2.5, 4.0)
AHEAD = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}

Square = tuple[int, int]


def problems(task: type[ReasoningEnv], count: int, levels: tuple[float, ...] = LEVELS) -> list:
    return draw_problems(task, *levels, count=count)


def squares(rows: list[str]) -> dict[Square, str]:
    return {(y, x): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}


def map_in(prompt: str) -> list[str]:
    """The map as it stands in the question."""
    return [line for line in prompt.split("\n") if line.startswith("#") and line.endswith("#")]


def ahead(square: Square, move: str) -> Square:
    return square[0] + AHEAD[move][0], square[1] + AHEAD[move][1]


def place_of(grid: dict[Square, str], signs: str) -> Square:
    (found,) = [square for square, sign in grid.items() if sign in signs]
    return found


def reaches(rows: list[str], moves: str) -> bool:
    """Return whether a walk with keys and doors ends on the goal."""
    grid, held = squares(rows), set()
    at = place_of(grid, "S")
    for move in moves:
        at = ahead(at, move)
        sign = grid[at]
        if sign == "#" or (sign in "ABCDEF" and sign.lower() not in held):
            return False
        held.add(sign)
    return grid[at] == "G"


def boxes_home(rows: list[str], moves: str) -> int | None:
    """Pushes of a Sokoban solution; None if it is none."""
    grid, pushes = squares(rows), 0
    boxes = {square for square, sign in grid.items() if sign in "$*"}
    at = place_of(grid, "@+")
    for move in moves:
        at = ahead(at, move)
        if at in boxes:
            behind = ahead(at, move)
            if grid[behind] == "#" or behind in boxes:
                return None
            boxes = boxes - {at} | {behind}
            pushes += 1
        if grid[at] == "#":
            return None
    return pushes if all(grid[box] in ".*+" for box in boxes) else None


@pytest.mark.parametrize("task", [MazeEnv, GridPlanEnv, SokobanEnv])
def test_scores_agree_with_the_rules_played_on_the_printed_map(task: type[ReasoningEnv]) -> None:
    rng, outcomes = np.random.default_rng(0), []
    for problem in problems(task, 30):
        rows = map_in(problem.prompt)
        for _ in range(8):
            moves = disturbed(problem.answer, rng)
            sokoban = task is SokobanEnv
            right = boxes_home(rows, moves) is not None if sokoban else reaches(rows, moves)
            assert task.score(problem, moves) == float(right), (rows, moves)
            assert bool(task.explain(problem, moves)) != right
            outcomes.append(right)
    assert 0.2 < np.mean(outcomes) < 0.8


# Mazes.


def shapes() -> list[tuple[int, int]]:
    lengths = (1, 2, 3, 7, 12, 24, 25, 37, MAX_PATH)
    pairs = [(n, t) for n in lengths for t in {0, 1, 2, n // 2, n - 2, n - 1}]
    return [(n, t) for n, t in pairs if 0 <= t < n <= (t + 1) * MAX_RUN]


@pytest.mark.parametrize(("length", "turns"), shapes())
def test_a_maze_has_one_path_of_the_given_length_and_turns(length: int, turns: int) -> None:
    rows, moves = draw_maze(np.random.default_rng(length * 100 + turns), length, turns)
    assert len(moves) == length
    assert sum(a != b for a, b in itertools.pairwise(moves)) == turns
    assert reaches(rows, moves)
    grid = squares(rows)
    free = {square for square, sign in grid.items() if sign != "#"}
    joined = sum((ahead(square, move) in free) for square in free for move in "DR")
    reached, waiting = {place_of(grid, "S")}, [place_of(grid, "S")]
    for square in waiting:
        new = {ahead(square, move) for move in "UDLR"} & free - reached
        reached |= new
        waiting += new
    assert reached == free and joined == len(free) - 1, "a tree: connected and without circles"
    assert all(sign == "#" for (y, x), sign in grid.items() if {y, x} & {0, len(rows) - 1})


def test_the_two_arguments_of_a_maze_hold_whatever_the_difficulty() -> None:
    for difficulty in (0, 3, 50):
        env = MazeEnv(difficulty=difficulty, path_length=9, turns=4)
        env.reset(seed=1)
        for reply in (env.oracle_action(), env.random_action(np.random.default_rng(0))):
            moves = reply.removeprefix("<answer>").removesuffix("</answer>")
            assert len(moves) == 9
            assert sum(a != b for a, b in itertools.pairwise(moves)) == 4
    env = MazeEnv(difficulty=50, turns=0)
    env.reset(seed=0)
    assert len(set(env.solve(env.get_state()["episode"].problem))) == 1
    env = MazeEnv(difficulty=0, turns=11)
    env.reset(seed=0)
    assert len(env.solve(env.get_state()["episode"].problem)) == 12, "as few moves as that needs"


@pytest.mark.parametrize(
    "arguments",
    [
        {"turns": -1}, {"turns": 1.5}, {"turns": True}, {"turns": MAX_PATH}, {"path_length": 0},
        {"path_length": MAX_PATH + 1}, {"path_length": "3"}, {"path_length": 3, "turns": 3},
        {"path_length": MAX_RUN + 1, "turns": 0},
    ],
)  # fmt: skip
def test_a_maze_that_cannot_be_is_refused(arguments: dict) -> None:
    with pytest.raises(ValueError, match=r"turns|path_length|fits no maze"):
        MazeEnv(**arguments)


def test_a_detour_is_right_and_a_wall_is_not() -> None:
    rows = ["#####", "#S.G#", "#.###", "#####"]
    problem = Problem("", "RR", data={"map": rows})
    for right in ("RR", "rr", "R, R", "right right", "DURR", "RLRR", "RRLR", "R->R"):
        assert MazeEnv.score(problem, right) == 1, right
    assert MazeEnv.explain(problem, "RRR") == "Move 3, R, goes into a wall."
    assert MazeEnv.explain(problem, "D") == "The walk ends at row 3, column 2, not at G."
    assert "string of the letters" in MazeEnv.explain(problem, "go right")


def test_the_picture_shows_the_map_of_the_text() -> None:
    for difficulty in (0, 1, 4, 30):
        words = MazeEnv(difficulty=difficulty)
        text, _ = words.reset(seed=3)
        env = MazeEnv(difficulty=difficulty, view="image")
        image, _ = env.reset(seed=3)
        assert image in env.observation_space and image.shape == (SIDE, SIDE, 3)
        rows = map_in(text)
        size = SIDE // len(rows)
        first = (SIDE - size * len(rows)) // 2
        for (y, x), sign in squares(rows).items():
            corner = first + y * size, first + x * size
            block = image[corner[0] : corner[0] + size, corner[1] : corner[1] + size]
            assert (block == COLOURS[sign]).all(), (y, x)
        after, reward, terminated, _, info = env.step(words.oracle_action())
        assert (after == image).all() and reward == 1 and terminated
        assert info["feedback"] == "Correct."
    assert "<answer>" in MazeEnv.image_question and "U, D, L and R" in MazeEnv.image_question
    with pytest.raises(UnknownName, match="view"):
        MazeEnv(view="sound")  # type: ignore[arg-type]


# Rooms with keys.


def fewest_by_relaxation(rows: list[str]) -> int:
    """Shortest walk, by distances over (square, keys) lowered until nothing changes."""
    grid = squares(rows)
    letters = sorted(sign for sign in grid.values() if sign in "abcdef")
    subsets = [frozenset(c) for n in range(len(letters) + 1)
               for c in itertools.combinations(letters, n)]  # fmt: skip
    distance = {(place_of(grid, "S"), frozenset[str]()): 0}
    changed = True
    while changed:
        changed = False
        for held in subsets:
            for at in [square for square, keys in list(distance) if keys == held]:
                for move in "UDLR":
                    after = ahead(at, move)
                    sign = grid[after]
                    if sign == "#" or (sign in "ABCDEF" and sign.lower() not in held):
                        continue
                    state = after, held | {sign} if sign in letters else held
                    new = distance[at, held] + 1
                    if new < distance.get(state, 10**9):
                        distance[state], changed = new, True
    return min(steps for (at, _), steps in distance.items() if grid[at] == "G")


def test_the_fewest_moves_through_rooms() -> None:
    for problem in problems(GridPlanEnv, 6, (0.0, 1.0, 2.5)):
        rows = map_in(problem.prompt)
        solved = GridPlanEnv.solve(problem)
        assert len(solved) == fewest_by_relaxation(rows) <= len(problem.answer)


def test_rooms_have_as_many_locks_as_the_difficulty_says() -> None:
    for locks in (0, 1, 2, 4, 6, 1e9):
        for problem in draw_problems(GridPlanEnv, locks, count=20):
            signs = Counter("".join(problem.data["map"]))
            names = "abcdef"[: int(min(locks, 6))]
            assert all(signs[name] == signs[name.upper()] == 1 for name in names)
            assert sum(signs.values()) == sum(signs[s] for s in "#.SG" + names + names.upper())


def test_a_key_must_be_fetched_first() -> None:
    problem = Problem("", "", data={"map": ["######", "#aSAG#", "######"]})
    assert GridPlanEnv.explain(problem, "RR") == "Move 1, R, goes into door A without its key."
    assert GridPlanEnv.score(problem, "LRRR") == 1
    assert GridPlanEnv.solve(problem) == "LRRR"
    assert "The walk ends at row 2, column 2" in GridPlanEnv.explain(problem, "L")


# Sokoban.

MICRO = ["######", "#.-.-#", "#-$$@#", "#----#", "######"]


def fewest_pushes_by_cost(rows: list[str]) -> int:
    """Fewest pushes: uniform-cost search over single moves, of which only pushes cost."""
    grid = squares(rows)
    boxes = frozenset(square for square, sign in grid.items() if sign in "$*")
    goals = {square for square, sign in grid.items() if sign in ".*+"}
    first = place_of(grid, "@+"), boxes
    best, queue = {first: 0}, [(0, 0, first)]
    count = itertools.count(1)
    while queue:
        cost, _, state = heapq.heappop(queue)
        at, boxes = state
        if boxes == goals:
            return cost
        for move in "UDLR":
            after, moved = ahead(at, move), boxes
            if after in boxes:
                behind = ahead(after, move)
                if behind in boxes or grid[behind] == "#":
                    continue
                moved = boxes - {after} | {behind}
            new = cost + (moved != boxes)
            if grid[after] != "#" and new < best.get((after, moved), 10**9):
                best[after, moved] = new
                heapq.heappush(queue, (new, next(count), (after, moved)))
    raise AssertionError("no solution")


def test_sokoban_is_solved_with_the_fewest_pushes() -> None:
    for problem in problems(SokobanEnv, 8, (0.0, 1.0, 2.5)):
        rows = map_in(problem.prompt)
        pushes = boxes_home(rows, SokobanEnv.solve(problem))
        assert pushes == fewest_pushes_by_cost(rows)
        longer = boxes_home(rows, problem.answer)
        assert longer is not None and longer >= pushes


def test_a_sokoban_board_is_sound() -> None:
    for problem in problems(SokobanEnv, 25, (0.0, 1.0, 4.0, 1e9)):
        rows = problem.data["map"]
        signs = Counter("".join(rows))
        assert signs["$"] == signs["."] + signs["+"] >= 1 and not signs["*"]
        assert signs["@"] + signs["+"] == 1
        assert rows[0] == rows[-1] == "#" * len(rows) and set("".join(rows)) <= set("#-@$.+")


def test_what_is_wrong_in_sokoban_is_said() -> None:
    problem = Problem("", "", data={"map": MICRO})
    assert SokobanEnv.explain(problem, "L") == "Move 1, L, pushes a box that cannot move."
    assert SokobanEnv.explain(problem, "R") == "Move 1, R, goes into a wall."
    assert SokobanEnv.explain(problem, "DLU") == "Boxes that stand on no goal at the end: 1."
    assert "letters" in SokobanEnv.explain(problem, "push")
    assert SokobanEnv.score(problem, SokobanEnv.solve(problem)) == 1
    assert boxes_home(MICRO, SokobanEnv.solve(problem)) == fewest_pushes_by_cost(MICRO) == 3
    stuck = Problem("", "", data={"map": ["#####", "#$-.#", "#-@-#", "#####"]})
    with pytest.raises(ValueError, match="cannot be reached"):
        SokobanEnv.solve(stuck)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("UDLR", "UDLR"), ("u d l r", "UDLR"), ("[U, D]", "UD"), ("Up, then right", None),
        ("up right", "UR"), ("U2", None), ("", None), ("X", None), ("U\nD", "UD"),
        ("'RRD'.", "RRD"), ("R" * 4096, "R" * 4096), ("R" * 4097, None), ("ＵＤ", None),
    ],
)  # fmt: skip
def test_reading_moves(text: str, moves: str | None) -> None:
    assert parse_moves(text) == moves
