"""The one table of tasks. A new task is one file and one line here.

Entry points are strings, so that `import zerogym` loads no environment and specs can be rebuilt in
other processes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import pettingzoo

ALL_SEATS = "views.aec:GameAEC"
ALL_AT_ONCE = "views.parallel:GameParallel"
_VECTOR = "control.mujoco.vector_env"
FAMILIES = ("reasoning", "tools", "games", "control")


@dataclass(frozen=True)
class Task:
    """A registered single-agent task.

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
    def family(self) -> str:
        return self.target.partition(".")[0]

    @property
    def entry_point(self) -> str:
        return f"zerogym.envs.{self.target}"


@dataclass(frozen=True)
class Game:
    """A game, registered with PettingZoo; its single-seat Gymnasium view is a `Task`.

    Attributes:
        name: PettingZoo style: `kuhn_poker` is `zerogym/kuhn_poker-v0`.
        target: `module:Class` of the rules below `zerogym.envs.games`.
        kwargs: Parameters of this id (JSON values), for ids that share a class.
        simultaneous: As the rules say; such games have a parallel environment, too.
        adapter: `module:Class` of the environment of all seats, below `zerogym.envs.games`. The
            default is told the name of the game, others know it.
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


TASKS: tuple[Task, ...] = (
    Task("RandomCalculation", "reasoning.arithmetic.random_calculation:RandomCalculationEnv"),
    Task("ChainSum", "reasoning.arithmetic.chain_sum:ChainSumEnv"),
    Task("Countdown", "reasoning.arithmetic.countdown:CountdownEnv"),
    Task("NumberTheory", "reasoning.arithmetic.number_theory:NumberTheoryEnv"),
    Task("BaseConversion", "reasoning.arithmetic.base_conversion:BaseConversionEnv"),
    Task("LinearEquations", "reasoning.algebra.linear_equations:LinearEquationsEnv"),
    Task("Polynomials", "reasoning.algebra.polynomials:PolynomialsEnv"),
    Task("Sequences", "reasoning.algebra.sequences:SequencesEnv"),
    Task("Probability", "reasoning.probability.probability:ProbabilityEnv"),
    Task("Counting", "reasoning.probability.counting:CountingEnv"),
    Task("Calendar", "reasoning.measurement.dates:CalendarEnv"),
    Task("Units", "reasoning.measurement.units:UnitsEnv"),
    Task(
        "PropositionalEntailment",
        "reasoning.logic.propositional_entailment:PropositionalEntailmentEnv",
    ),
    Task("FirstOrder", "reasoning.logic.first_order:FirstOrderEnv"),
    Task("KnightsKnaves", "reasoning.logic.knights_knaves:KnightsKnavesEnv"),
    Task("Zebra", "reasoning.constraints.zebra:ZebraEnv"),
    Task("Syllogism", "reasoning.logic.syllogism:SyllogismEnv"),
    Task("Satisfiability", "reasoning.logic.satisfiability:SatisfiabilityEnv"),
    Task("Sudoku", "reasoning.constraints.sudoku:SudokuEnv"),
    Task("LatinSquare", "reasoning.constraints.latin_square:LatinSquareEnv"),
    Task("NQueens", "reasoning.constraints.n_queens:NQueensEnv"),
    Task("Cryptarithm", "reasoning.constraints.cryptarithm:CryptarithmEnv"),
    Task("Futoshiki", "reasoning.constraints.futoshiki:FutoshikiEnv"),
    Task("Blocksworld", "reasoning.planning.blocksworld:BlocksworldEnv"),
    Task("Strips", "reasoning.planning.generated_strips:StripsEnv"),
    Task("GridPlan", "reasoning.planning.grid_plan:GridPlanEnv"),
    Task("Maze", "reasoning.puzzles.maze:MazeEnv"),
    Task("Sokoban", "reasoning.puzzles.sokoban:SokobanEnv"),
    Task("Hanoi", "reasoning.puzzles.hanoi:HanoiEnv"),
    Task("RiverCrossing", "reasoning.puzzles.river_crossing:RiverCrossingEnv"),
    Task("WaterJugs", "reasoning.puzzles.water_jugs:WaterJugsEnv"),
    Task("SlidingPuzzle", "reasoning.puzzles.sliding_puzzle:SlidingPuzzleEnv"),
    Task("Rubik2x2", "reasoning.puzzles.rubik:Rubik2x2Env"),
    Task("Grammar", "reasoning.grammars.grammar:GrammarEnv"),
    Task("RegexFollowing", "reasoning.grammars.regex_following:RegexFollowingEnv"),
    Task("RegexInduction", "reasoning.grammars.regex_induction:RegexInductionEnv"),
    Task("FiniteAutomaton", "reasoning.programs.finite_automaton:FiniteAutomatonEnv"),
    Task("CellularAutomaton", "reasoning.programs.cellular_automaton:CellularAutomatonEnv"),
    Task("RegisterMachine", "reasoning.programs.register_machine:RegisterMachineEnv"),
    Task("StackMachine", "reasoning.programs.stack_machine:StackMachineEnv"),
    Task("StringRewrite", "reasoning.programs.string_rewrite:StringRewriteEnv"),
    Task("LetterTasks", "reasoning.language.letter_tasks:LetterTasksEnv"),
    Task("Cipher", "reasoning.language.cipher:CipherEnv"),
    Task("Instructions", "reasoning.language.instructions:InstructionsEnv"),
    Task("PatternMachine", "reasoning.programs.pattern_machine:PatternMachineEnv"),
    Task("BayesNet", "reasoning.uncertainty.bayes_net:BayesNetEnv"),
    Task("BeliefTracking", "reasoning.uncertainty.belief_tracking:BeliefTrackingEnv"),
    Task("Unanswerable", "reasoning.uncertainty.unanswerable:UnanswerableEnv"),
    Task("ReasoningGym", "reasoning.bridges.reasoning_gym:ReasoningGymEnv", tags=("bridge",)),
    Task("ReasoningCore", "reasoning.bridges.reasoning_core:ReasoningCoreEnv", tags=("bridge",)),
    Task("SQL", "tools.sql.env:SQLEnv", tags=("multi-turn",)),
    Task("Notebook", "tools.notebook.env:NotebookEnv", tags=("multi-turn", "sandbox")),
    Task("CodeTriplet", "tools.code_triplet.env:CodeTripletEnv", tags=("sandbox",)),
    Task("KuhnPoker", "games.cards.kuhn_poker:KuhnPokerEnv"),
    Task("KuhnMatch", "games.cards.kuhn_match:KuhnMatchEnv"),
    Task("TicTacToe", "games.board.tic_tac_toe:TicTacToeEnv"),
    Task("Nim", "games.board.nim:NimEnv"),
    Task("ConnectFour", "games.board.connect_four:ConnectFourEnv"),
    Task("Breakthrough", "games.board.breakthrough:BreakthroughEnv"),
    Task("Othello", "games.board.othello:OthelloEnv"),
    Task("LeducPoker", "games.cards.leduc_poker:LeducPokerEnv"),
    Task("LiarsDice", "games.dice.liars_dice:LiarsDiceEnv"),
    Task("Goofspiel", "games.cards.goofspiel:GoofspielEnv"),
    Task("Blotto", "games.economic.blotto:BlottoEnv"),
    Task("Pig", "games.dice.pig:PigEnv"),
    Task(
        "PrisonersDilemma",
        "games.economic.matrix:MatrixGameEnv",
        kwargs={"name": "prisoners_dilemma"},
    ),
    Task("StagHunt", "games.economic.matrix:MatrixGameEnv", kwargs={"name": "stag_hunt"}),
    Task(
        "RockPaperScissors",
        "games.economic.matrix:MatrixGameEnv",
        kwargs={"name": "rock_paper_scissors", "rounds": 3},
    ),
    Task(
        "MatchingPennies",
        "games.economic.matrix:MatrixGameEnv",
        kwargs={"name": "matching_pennies"},
    ),
    Task(
        "PublicGoods",
        "games.economic.matrix:MatrixGameEnv",
        kwargs={"name": "public_goods", "rounds": 3},
    ),
    Task("DotsAndBoxes", "games.board.dots_and_boxes:DotsAndBoxesEnv"),
    Task("Hex", "games.board.hex:HexEnv"),
    Task("FirstSealedAuction", "games.economic.first_sealed_auction:FirstSealedAuctionEnv"),
    Task("Battleship", "games.board.battleship:BattleshipEnv"),
    Task("Backgammon", "games.dice.backgammon:BackgammonEnv"),
    Task("OpenSpiel", "games.open_spiel.open_spiel:OpenSpielEnv", tags=("bridge",)),
    Task("Chess", "games.open_spiel.chess:ChessEnv", tags=("bridge",)),
    Task("FourRooms", "control.gridworlds.four_rooms:FourRoomsEnv"),
    Task("UMap", "control.gridworlds.four_rooms:FourRoomsEnv", kwargs={"layout": "u_map"}),
    Task("OpenGrid", "control.gridworlds.four_rooms:FourRoomsEnv", kwargs={"layout": "open_9"}),
    Task("SlipperyGrid", "control.gridworlds.four_rooms:FourRoomsEnv", kwargs={"slip": 0.2}),
    Task("DarkRoom", "control.gridworlds.dark_room:DarkRoomEnv"),
    Task(
        "DarkRoomHard",
        "control.gridworlds.dark_room:DarkRoomEnv",
        kwargs={"size": 17, "ends_at_goal": True},
    ),
    Task("Chain", "control.gridworlds.chain:ChainEnv"),
    Task(
        "RiverSwim", "control.gridworlds.chain:ChainEnv", kwargs={"kind": "river_swim", "length": 6}
    ),
    Task("TMaze", "control.gridworlds.t_maze:TMazeEnv"),
    Task("Office", "control.gridworlds.office:OfficeEnv"),
    Task("Letters", "control.gridworlds.letters:LettersEnv"),
    Task("PointMaze", "control.mazes.point_maze:PointMazeEnv"),
    Task("PointMazeLarge", "control.mazes.point_maze:PointMazeEnv", kwargs={"layout": "large"}),
    Task("PointMazeSTL", "control.mazes.point_maze_stl:PointMazeSTLEnv"),
    Task("TwoRooms", "control.mazes.two_rooms:TwoRoomsEnv"),
    Task("MiniGrid", "control.minigrid.minigrid_env:MiniGridEnv"),
    Task(
        "KeyCorridor",
        "control.minigrid.minigrid_env:MiniGridEnv",
        kwargs={"level": "KeyCorridorS3R2"},
    ),
    Task(
        "BabyAI", "control.minigrid.minigrid_env:MiniGridEnv", kwargs={"level": "BabyAI-GoToLocal"}
    ),
    Task("MiniGridMaze", "control.minigrid.maze:MiniGridMazeEnv"),
    Task("CartPole", "control.classic.cart_pole:CartPoleEnv"),
    Task("Pendulum", "control.classic.pendulum:PendulumEnv"),
    Task("Acrobot", "control.classic.acrobot:AcrobotEnv"),
    Task("MountainCar", "control.classic.mountain_car:MountainCarEnv"),
    Task("Walker", "control.mujoco.locomotion.walker:WalkerEnv", vector=f"{_VECTOR}:walker"),
    Task("Cheetah", "control.mujoco.locomotion.cheetah:CheetahEnv", vector=f"{_VECTOR}:cheetah"),
    Task("Hopper", "control.mujoco.locomotion.hopper:HopperEnv", vector=f"{_VECTOR}:hopper"),
    Task(
        "PointMassMaze",
        "control.mujoco.reaching.point_mass_maze:PointMassMazeEnv",
        vector=f"{_VECTOR}:point_mass_maze",
    ),
    Task("Reacher", "control.mujoco.reaching.reacher:ReacherEnv", vector=f"{_VECTOR}:reacher"),
    Task("Ant", "control.mujoco.locomotion.ant:AntEnv", vector=f"{_VECTOR}:ant"),
    Task("CognitiveRadio", "control.exogenous.radio.cognitive_radio:CognitiveRadioEnv"),
    Task("Trading", "control.exogenous.trading.trading:TradingEnv"),
    Task("OGBench", "control.ogbench.ogbench_env:OGBenchEnv", tags=("bridge",)),
    Task("Quadrotor", "control.vehicles.quadrotors.quadrotor:QuadrotorEnv"),
    Task("RacingRing", "control.vehicles.racing.racing_ring:RacingRingEnv"),
    Task("QuadrotorSwarm", "control.vehicles.quadrotors.swarm:QuadrotorSwarmEnv"),
)

GAMES: tuple[Game, ...] = (
    Game("kuhn_poker", "cards.kuhn_poker:KuhnPoker"),
    Game("kuhn_match", "cards.kuhn_match:KuhnMatch"),
    Game("tic_tac_toe", "board.tic_tac_toe:TicTacToe"),
    Game("nim", "board.nim:Nim"),
    Game("connect_four", "board.connect_four:ConnectFour"),
    Game("breakthrough", "board.breakthrough:Breakthrough"),
    Game("othello", "board.othello:Othello"),
    Game("leduc_poker", "cards.leduc_poker:LeducPoker"),
    Game("liars_dice", "dice.liars_dice:LiarsDice"),
    Game("goofspiel", "cards.goofspiel:Goofspiel", simultaneous=True),
    Game("blotto", "economic.blotto:Blotto", simultaneous=True),
    Game("pig", "dice.pig:Pig"),
    Game(
        "prisoners_dilemma",
        "economic.matrix:MatrixGame",
        {"name": "prisoners_dilemma"},
        simultaneous=True,
    ),
    Game("stag_hunt", "economic.matrix:MatrixGame", {"name": "stag_hunt"}, simultaneous=True),
    Game(
        "rock_paper_scissors",
        "economic.matrix:MatrixGame",
        {"name": "rock_paper_scissors", "rounds": 3},
        simultaneous=True,
    ),
    Game(
        "matching_pennies",
        "economic.matrix:MatrixGame",
        {"name": "matching_pennies"},
        simultaneous=True,
    ),
    Game(
        "public_goods",
        "economic.matrix:MatrixGame",
        {"name": "public_goods", "rounds": 3},
        simultaneous=True,
    ),
    Game("dots_and_boxes", "board.dots_and_boxes:DotsAndBoxes"),
    Game("hex", "board.hex:Hex"),
    Game(
        "first_sealed_auction",
        "economic.first_sealed_auction:FirstSealedAuction",
        simultaneous=True,
    ),
    Game("battleship", "board.battleship:Battleship"),
    Game("backgammon", "dice.backgammon:Backgammon"),
    Game(
        "open_spiel",
        "open_spiel.open_spiel:OpenSpiel",
        adapter="open_spiel.open_spiel:OpenSpielAEC",
        parallel="open_spiel.open_spiel:OpenSpielParallel",
        tags=("bridge",),
    ),
    Game("chess", "open_spiel.chess:Chess", tags=("bridge",)),
)


def game_of(env: str) -> Game | None:
    """The game with this PettingZoo id; None if no game has it."""
    return next((game for game in GAMES if game.id == env), None)


def single_seat_id(name: str) -> str:
    """The id of a game's single-seat view: that of `kuhn_poker` is `zerogym/KuhnPoker-v0`."""
    return f"zerogym/{''.join(part.capitalize() for part in name.split('_'))}-v0"


def register_all() -> None:
    """Register every id with Gymnasium and PettingZoo; harmless when called again."""
    for task in TASKS:
        if task.id not in gym.registry:
            gym.register(
                task.id,
                entry_point=task.entry_point,
                vector_entry_point=task.vector and f"zerogym.envs.{task.vector}",
                max_episode_steps=task.max_steps,
                kwargs=dict(task.kwargs),
            )
    for game in GAMES:
        if game.id not in pettingzoo.aec_registry:
            pettingzoo.register(
                "aec",
                game.id,
                entry_point=f"zerogym.envs.games.{game.adapter}",
                kwargs={"game": game.name} if game.adapter == ALL_SEATS else dict(game.kwargs),
            )
        at_once = game.parallel or (ALL_AT_ONCE if game.simultaneous else None)
        if at_once and game.id not in pettingzoo.parallel_registry:
            pettingzoo.register(
                "parallel",
                game.id,
                entry_point=f"zerogym.envs.games.{at_once}",
                kwargs={"game": game.name} if at_once == ALL_AT_ONCE else dict(game.kwargs),
            )
