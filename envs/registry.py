"""The tables of tasks, one a family. A new task is one file and one name here.

Entry points are strings, so that `import zerogym` loads no environment and specs can be rebuilt in
other processes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gymnasium as gym
import pettingzoo

from zerogym.envs.pages import summary

ALL_SEATS = "views.aec:GameAEC"
ALL_AT_ONCE = "views.parallel:GameParallel"
FAMILIES = ("reasoning", "tools", "games", "control")


@dataclass(frozen=True)
class Task:
    """A registered single-agent task; `zerogym.tasks()` lists them.

    Attributes:
        name: The id without namespace and version: `Countdown` is `zerogym/Countdown-v0`.
        target: `module:Class` below `zerogym.envs`.
        max_steps: Steps after which Gymnasium's TimeLimit truncates; None if the task ends itself.
        kwargs: Arguments of this id (JSON values), for ids that share a class.
        tags: Free labels, for filters.
        vector: `module:name` below `zerogym.envs` of what makes a `VectorEnv` of them; None leaves
            it to Gymnasium.
    """

    name: str
    target: str
    max_steps: int | None = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    vector: str | None = None

    @property
    def id(self) -> str:
        return f"zerogym/{self.name}-v0"

    @property
    def file(self) -> str:
        """The file of its class, without its folder and ending."""
        return self.target.partition(":")[0].rpartition(".")[2]

    @property
    def family(self) -> str:
        return self.target.partition(".")[0]

    @property
    def entry_point(self) -> str:
        return f"zerogym.envs.{self.target}"

    @property
    def summary(self) -> str:
        """First line of its class docstring; the class is not imported."""
        return summary(self.target)


@dataclass(frozen=True)
class Game:
    """A game, registered with PettingZoo; its single-seat Gymnasium view is a `Task`.

    Attributes:
        name: PettingZoo style: `kuhn_poker` is `zerogym/kuhn_poker-v0`.
        target: `module:Class` of the rules below `zerogym.envs.games`.
        kwargs: Parameters of this id (JSON values), for ids that share a class.
        simultaneous: As the rules say; such games have a parallel environment, too.
        adapter: `module:Class` of the environment of all seats, below `zerogym.envs.games`. The
            default takes the name of the game, others hold it.
        parallel: The same for all seats at once, where not every game of this id is simultaneous.
        tags: Free labels, as of a `Task`.
    """

    name: str
    target: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    simultaneous: bool = False
    adapter: str = ALL_SEATS
    parallel: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"zerogym/{self.name}-v0"


def _tasks(folder: str, *names: str, tags: tuple[str, ...] = ()) -> list[Task]:
    """Tasks of which `Name` is the class `NameEnv` in the folder's file `name.py` (snake case)."""
    files = [re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in names]
    return [
        Task(name, f"{folder}.{file}:{name}Env", tags=tags)
        for name, file in zip(names, files, strict=True)
    ]


def _games(folder: str, *names: str, simultaneous: bool = False) -> list[Game]:
    """Games of which `the_name` is the class `TheName` in the folder's file `the_name.py`."""
    return [
        Game(name, f"{folder}.{name}:{_in_capitals(name)}", simultaneous=simultaneous)
        for name in names
    ]


def _in_capitals(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


GAMES: tuple[Game, ...] = (
    *_games("cards", "kuhn_poker", "kuhn_match"),
    *_games("board", "tic_tac_toe", "nim", "connect_four", "breakthrough", "othello"),
    *_games("cards", "leduc_poker"),
    *_games("dice", "liars_dice"),
    *_games("cards", "goofspiel", simultaneous=True),
    *_games("economic", "blotto", simultaneous=True),
    *_games("dice", "pig"),
    *(
        Game(name, "economic.matrix:MatrixGame", {"name": name, **rounds}, simultaneous=True)
        for name, rounds in (
            ("prisoners_dilemma", {}),
            ("stag_hunt", {}),
            ("rock_paper_scissors", {"rounds": 3}),
            ("matching_pennies", {}),
            ("public_goods", {"rounds": 3}),
        )
    ),
    *_games("board", "dots_and_boxes", "hex"),
    *_games("economic", "first_sealed_auction", simultaneous=True),
    *_games("board", "battleship"),
    *_games("dice", "backgammon"),
    *_games("cooperative", "hanabi"),
    *_games("cooperative", "overcooked_mini", simultaneous=True),
    *_games("talk", "ultimatum"),
    *_games("talk", "talking_dilemma", simultaneous=True),
    *_games("talk", "trust_and_split", "deal_or_no_deal", "simple_negotiation"),
    *_games("talk", "twenty_questions", "red_team"),
    *_games("talk.hidden_roles", "spy", "social_deduction"),
    *_games("talk", "taboo", "codenames_mini"),
    Game(
        "open_spiel",
        "open_spiel.open_spiel:OpenSpiel",
        adapter="open_spiel.open_spiel:OpenSpielAEC",
        parallel="open_spiel.open_spiel:OpenSpielParallel",
        tags=("bridge",),
    ),
    Game("chess", "open_spiel.chess:Chess", tags=("bridge",)),
)

REASONING: tuple[Task, ...] = (
    *_tasks(
        "reasoning.arithmetic",
        *("RandomCalculation", "ChainSum", "Countdown", "NumberTheory", "BaseConversion"),
    ),
    *_tasks("reasoning.algebra", "LinearEquations", "Polynomials", "Sequences"),
    *_tasks("reasoning.probability", "Probability", "Counting"),
    Task("Calendar", "reasoning.measurement.dates:CalendarEnv"),
    *_tasks("reasoning.measurement", "Units"),
    *_tasks("reasoning.logic", "PropositionalEntailment", "FirstOrder", "KnightsKnaves"),
    *_tasks("reasoning.constraints", "Zebra"),
    *_tasks("reasoning.logic", "Syllogism", "Satisfiability"),
    *_tasks(
        "reasoning.constraints", "Sudoku", "LatinSquare", "NQueens", "Cryptarithm", "Futoshiki"
    ),
    *_tasks("reasoning.planning", "Blocksworld"),
    Task("Strips", "reasoning.planning.generated_strips:StripsEnv"),
    *_tasks("reasoning.planning", "GridPlan"),
    *_tasks("reasoning.puzzles", "Maze", "Sokoban", "Hanoi", "RiverCrossing", "WaterJugs"),
    *_tasks("reasoning.puzzles", "SlidingPuzzle"),
    Task("Rubik2x2", "reasoning.puzzles.rubik:Rubik2x2Env"),
    *_tasks("reasoning.grammars", "Grammar", "RegexFollowing", "RegexInduction"),
    *_tasks("reasoning.programs", "FiniteAutomaton", "CellularAutomaton", "RegisterMachine"),
    *_tasks("reasoning.programs", "StackMachine", "StringRewrite"),
    *_tasks("reasoning.language", "LetterTasks", "Cipher", "Instructions"),
    *_tasks("reasoning.programs", "PatternMachine"),
    *_tasks("reasoning.uncertainty", "BayesNet", "BeliefTracking", "Unanswerable"),
    *_tasks("reasoning.proposals", "ParameterCreator"),
    *_tasks("reasoning.bridges", "ReasoningGym", "ReasoningCore", tags=("bridge",)),
    *_tasks("reasoning.bridges", "TextArena", tags=("bridge", "multi-turn")),
)

TOOLS: tuple[Task, ...] = (
    Task("SQL", "tools.sql.env:SQLEnv", tags=("multi-turn",)),
    Task("Notebook", "tools.notebook.env:NotebookEnv", tags=("multi-turn", "sandbox")),
    Task("Search", "tools.search.env:SearchEnv", tags=("multi-turn",)),
    Task("Router", "tools.router.env:RouterEnv", tags=("multi-turn",)),
    Task("Functions", "tools.functions.env:FunctionsEnv", tags=("multi-turn",)),
    Task("NovelLib", "tools.novel_lib.env:NovelLibEnv", tags=("multi-turn",)),
    Task("Shell", "tools.shell_world.env:ShellEnv", tags=("multi-turn", "sandbox")),
    Task("RepoFix", "tools.repo_fix.env:RepoFixEnv", tags=("multi-turn", "sandbox")),
    Task("Terminal", "tools.terminal.env:TerminalEnv", tags=("multi-turn", "sandbox")),
    Task("CodeTriplet", "tools.code_triplet.env:CodeTripletEnv", tags=("sandbox",)),
    Task("CodeCreator", "tools.code_triplet.creator:CodeCreatorEnv"),
    Task("Web", "tools.web.env:WebEnv", tags=("multi-turn",)),
    Task("WebGrounding", "tools.web.grounding:WebGroundingEnv"),
)

# The single-seat view of each game.
SINGLE_SEAT: tuple[Task, ...] = tuple(
    Task(_in_capitals(game.name), f"games.{game.target}Env", kwargs=game.kwargs, tags=game.tags)
    for game in GAMES
)

_FOUR_ROOMS = "control.gridworlds.four_rooms:FourRoomsEnv"
_MINI_GRID = "control.minigrid.minigrid_env:MiniGridEnv"
_CLASSIC = _tasks("control.classic", "CartPole", "Pendulum", "Acrobot", "MountainCar")
_MUJOCO = (
    *_tasks("control.mujoco.locomotion", "Walker", "Cheetah", "Hopper"),
    *_tasks("control.mujoco.reaching", "PointMassMaze", "Reacher"),
    *_tasks("control.mujoco.locomotion", "Ant"),
)
CONTROL: tuple[Task, ...] = (
    Task("FourRooms", _FOUR_ROOMS),
    Task("UMap", _FOUR_ROOMS, kwargs={"layout": "u_map"}),
    Task("OpenGrid", _FOUR_ROOMS, kwargs={"layout": "open_9"}),
    Task("SlipperyGrid", _FOUR_ROOMS, kwargs={"slip": 0.2}),
    *_tasks("control.gridworlds", "Pits"),
    *_tasks("control.gridworlds", "DarkRoom"),
    Task(
        "DarkRoomHard",
        "control.gridworlds.dark_room:DarkRoomEnv",
        kwargs={"size": 17, "ends_at_goal": True},
    ),
    *_tasks("control.gridworlds", "Chain"),
    Task(
        "RiverSwim", "control.gridworlds.chain:ChainEnv", kwargs={"kind": "river_swim", "length": 6}
    ),
    Task("TMaze", "control.gridworlds.t_maze:TMazeEnv"),
    *_tasks("control.gridworlds", "Office", "Letters"),
    *_tasks("control.mazes", "PointMaze"),
    Task("PointMazeLarge", "control.mazes.point_maze:PointMazeEnv", kwargs={"layout": "large"}),
    Task("PointMazeSTL", "control.mazes.point_maze_stl:PointMazeSTLEnv"),
    *_tasks("control.mazes", "TwoRooms"),
    Task("MiniGrid", _MINI_GRID),
    Task("KeyCorridor", _MINI_GRID, kwargs={"level": "KeyCorridorS3R2"}),
    Task("BabyAI", _MINI_GRID, kwargs={"level": "BabyAI-GoToLocal"}),
    Task("MiniGridMaze", "control.minigrid.maze:MiniGridMazeEnv"),
    *(replace(task, vector=f"control.classic.vector_env:{task.file}") for task in _CLASSIC),
    *(replace(task, vector=f"control.mujoco.vector_env:{task.file}") for task in _MUJOCO),
    *_tasks("control.exogenous.radio", "CognitiveRadio"),
    *_tasks("control.exogenous.trading", "Trading"),
    Task("OGBench", "control.ogbench.ogbench_env:OGBenchEnv", tags=("bridge",)),
    *_tasks("control.vehicles.quadrotors", "Quadrotor"),
    *_tasks("control.vehicles.racing", "RacingRing"),
    Task("QuadrotorSwarm", "control.vehicles.quadrotors.swarm:QuadrotorSwarmEnv"),
)
TASKS: tuple[Task, ...] = (*REASONING, *TOOLS, *SINGLE_SEAT, *CONTROL)

# Rewards that have an id of their own (`zerogym/WalkerRun-v0`), for libraries that leave no room
# for an argument `task`. They are no tasks of their own: `zerogym.tasks()` lists the world once.
_NAMED_REWARDS = {
    "CartPole": "balance balance_left balance_right hang spin_left spin_right",
    "Pendulum": "upright hang left right spin_left spin_right",
    "Acrobot": "swing_up hang spin_left spin_right",
    "MountainCar": "flag left_end bottom slope_left slope_right fast",
    "Walker": "stand walk walk_backward run run_backward flip flip_backward spin",
    "Cheetah": "walk walk_backward run run_backward flip flip_backward spin",
    "Hopper": "stand hop hop_backward flip flip_backward spin",
    "PointMassMaze": "reach_top_left reach_top_right reach_bottom_left reach_bottom_right",
    "Reacher": "reach_top_left reach_top_right reach_bottom_left reach_bottom_right spin",
    "Ant": "stand walk run jump spin",
}
WITH_REWARD: tuple[Task, ...] = tuple(
    replace(world, name=world.name + _in_capitals(reward), kwargs={"task": reward})
    for world in CONTROL
    for reward in _NAMED_REWARDS.get(world.name, "").split()
)

# What plays an environment of others, on a server or as an object: the id alone makes none.
CLIENTS = (
    Task("OpenEnv", "reasoning.bridges.open_env:OpenEnvEnv", tags=("bridge",)),
    Task("Verifiers", "reasoning.bridges.verifiers:VerifiersEnv", tags=("bridge",)),
    Task("PettingZoo", "games.foreign.aec_game:PettingZooEnv", tags=("bridge",)),
)
UNLISTED: tuple[Task, ...] = (*WITH_REWARD, *CLIENTS)


def game_of(env: str) -> Game | None:
    """The game with this PettingZoo id; None if no game has it."""
    return next((game for game in GAMES if game.id == env), None)


def single_seat_id(name: str) -> str:
    """The id of a game's single-seat view: that of `kuhn_poker` is `zerogym/KuhnPoker-v0`."""
    return f"zerogym/{_in_capitals(name)}-v0"


def register_all() -> None:
    """Register every id with Gymnasium and PettingZoo; harmless when called again."""
    for task in (*TASKS, *UNLISTED):
        if task.id not in gym.registry:
            gym.register(
                task.id,
                entry_point=task.entry_point,
                vector_entry_point=task.vector and f"zerogym.envs.{task.vector}",
                max_episode_steps=task.max_steps,
                kwargs=dict(task.kwargs),
            )
    for game in GAMES:
        at_once = game.parallel or (ALL_AT_ONCE if game.simultaneous else None)
        for kind, adapter, known in (
            ("aec", game.adapter, pettingzoo.aec_registry),
            ("parallel", at_once, pettingzoo.parallel_registry),
        ):
            if adapter and game.id not in known:
                shared = adapter in (ALL_SEATS, ALL_AT_ONCE)
                pettingzoo.register(
                    kind,
                    game.id,
                    entry_point=f"zerogym.envs.games.{adapter}",
                    kwargs={"game": game.name} if shared else dict(game.kwargs),
                )
