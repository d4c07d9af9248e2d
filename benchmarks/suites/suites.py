"""Suites are data: which worlds, with which arguments, for which agents.

`QUICK` is some minutes on two cores. Held out of all training: the test split of the text worlds,
all goals but one of the mazes for DQN and PPO, every reward for the zero-shot agent.
"""

from functools import partial

from zerogym.agents.baselines.sb3 import SB3Config
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.benchmarks.results.schema import Agent, Suite, Variant, World
from zerogym.benchmarks.suites import agents as build

WRITERS = ("random", "tiny", "tiny_grpo", "smollm2", "oracle")
PLAYERS = ("random", "tiny", "tiny_grpo", "smollm2", "sb3", "rule", "oracle")
MOVERS = ("random", "fb", "sb3", "rule", "oracle")
SLOW = {"smollm2": 24}


def goals(*names: str) -> tuple[Variant, ...]:
    """One variant for each named task of a control world."""
    return tuple(Variant(name, {"task": name}) for name in names)


def against(*names: str) -> tuple[Variant, ...]:
    """One variant for each opponent of a game."""
    return tuple(Variant(f"against {name}", {"opponent": name}) for name in names)


FOUR_ROOMS_GOALS = (
    *("goal_1_1", "goal_1_3", "goal_1_7", "goal_2_4", "goal_2_6", "goal_3_1", "goal_3_5"),
    *("goal_5_2", "goal_5_7", "goal_6_3", "goal_6_6", "goal_7_1", "goal_7_5", "goal_7_7"),
)
U_MAP_GOALS = (
    *("goal_1_1", "goal_1_4", "goal_1_7", "goal_2_2", "goal_2_8", "goal_4_1"),
    *("goal_4_4", "goal_4_7", "goal_5_5", "goal_7_2", "goal_7_5", "goal_7_8"),
)
FAMILIES = tuple(
    f"{family}_{n}" for family in ("multi_goal", "goal_penalty", "smooth") for n in range(5)
)
MAZE_GOALS = (
    *("goal_right_bottom", "goal_left_top", "goal_middle", "goal_left_bottom", "goal_right_top"),
    *("goal_left", "goal_middle_bottom", "goal_middle_top", "goal_right"),
)
MAZE_PEAKS = tuple(f"peak_{n}" for n in range(8))

WORLDS = (
    World(
        "Random calculation",
        "zerogym/RandomCalculation-v0",
        "An expression to evaluate; difficulty 0.5 to 1, test split.",
        WRITERS,
        episodes=400,
        kwargs={"difficulty": (0.5, 1.0), "split": "test"},
        limits=SLOW,
    ),
    World(
        "Countdown",
        "zerogym/Countdown-v0",
        "Numbers to combine into a target; difficulty 0 to 0.5, test split.",
        WRITERS,
        episodes=200,
        kwargs={"difficulty": (0.0, 0.5), "split": "test"},
        limits=SLOW,
    ),
    World(
        "SQL",
        "zerogym/SQL-v0",
        "A question about an unknown database, several turns; difficulty 0, test split.",
        WRITERS,
        episodes=100,
        kwargs={"difficulty": 0.0, "split": "test"},
        reply_tokens=64,
        stop=("</sql>",),
        limits={"smollm2": 6},
    ),
    World(
        "Kuhn poker",
        "zerogym/KuhnPoker-v0",
        "Both seats, exact value over all deals, against random play and against CFR.",
        PLAYERS,
        variants=against("random", "cfr"),
        two_views=True,
        measure="game_tree",
        reply_tokens=24,
    ),
    World(
        "Tic-tac-toe",
        "zerogym/TicTacToe-v0",
        "Both seats, against random play and against minimax.",
        PLAYERS,
        episodes=200,
        variants=against("random", "minimax"),
        two_views=True,
        reply_tokens=24,
        limits={"smollm2": 10, "tiny": 64, "tiny_grpo": 64},
    ),
    World(
        "Four rooms: goals",
        "zerogym/FourRooms-v0",
        "Go to a cell and stay. DQN was trained for one of the goals only.",
        MOVERS,
        episodes=20,
        variants=goals(*FOUR_ROOMS_GOALS),
        training_task=Variant("goal_7_7", {"task": "goal_7_7"}),
        batch=20,
    ),
    World(
        "Four rooms: other rewards",
        "zerogym/FourRooms-v0",
        "Several goals, goals with penalties, smooth fields.",
        ("random", "fb", "sb3", "oracle"),
        episodes=20,
        variants=goals(*FAMILIES),
        training_task=Variant("goal_7_7", {"task": "goal_7_7"}),
        batch=20,
    ),
    World(
        "Four rooms: DQN's goal",
        "zerogym/FourRooms-v0",
        "The goal that DQN was trained for.",
        MOVERS,
        episodes=40,
        variants=goals("goal_7_7"),
        batch=40,
    ),
    World(
        "U-map: goals",
        "zerogym/UMap-v0",
        "Two walls with openings at opposite ends: going straight for the goal fails.",
        ("random", "fb", "rule", "oracle"),
        episodes=20,
        variants=goals(*U_MAP_GOALS),
        batch=20,
    ),
    World(
        "Point maze: goals",
        "zerogym/PointMaze-v0",
        "Continuous moves round two walls. PPO was trained for one of the goals only.",
        MOVERS,
        episodes=20,
        variants=goals(*MAZE_GOALS),
        training_task=Variant("goal_right_top", {"task": "goal_right_top"}),
        batch=20,
    ),
    World(
        "Point maze: PPO's goal",
        "zerogym/PointMaze-v0",
        "The goal that PPO was trained for.",
        MOVERS,
        episodes=40,
        variants=goals("goal_right_top"),
        batch=40,
    ),
    World(
        "Point maze: peaks",
        "zerogym/PointMaze-v0",
        "A smooth reward with a peak to sit on and a hill to avoid.",
        MOVERS,
        episodes=20,
        variants=goals(*MAZE_PEAKS),
        training_task=Variant("goal_right_top", {"task": "goal_right_top"}),
        batch=20,
    ),
)

GRID_PPO = {"n_steps": 128, "batch_size": 256, "n_epochs": 6, "learning_rate": 2e-3}
FROM_SCRATCH = {
    "zerogym/KuhnPoker-v0": SB3Config("maskable_ppo", 16_384, settings=GRID_PPO),
    "zerogym/TicTacToe-v0": SB3Config("maskable_ppo", 32_768, settings=GRID_PPO),
    "zerogym/FourRooms-v0": SB3Config(
        "dqn",
        16_000,
        envs=4,
        settings={
            "learning_starts": 1000,
            "target_update_interval": 500,
            "learning_rate": 1e-3,
            "gamma": 0.95,
            "exploration_fraction": 0.4,
            "buffer_size": 16_000,
        },
    ),
    "zerogym/PointMaze-v0": SB3Config(
        "ppo",
        81_920,
        settings={
            "n_steps": 256,
            "batch_size": 512,
            "n_epochs": 6,
            "learning_rate": 2e-3,
            "gamma": 0.97,
        },
    ),
}
REINFORCED = GRPOConfig(
    env="zerogym/RandomCalculation-v0",
    env_kwargs={"difficulty": [0.5, 1.0]},
    steps=80,
    prompts_per_step=8,
    lr=1e-4,
    max_new_tokens=48,
    stop=("</answer>",),
    micro_batch=128,
    eval_episodes=0,
)

AGENTS = (
    Agent(
        "random",
        "random",
        "Well-formed actions, chosen without knowledge: the zero of the scale.",
        build.random,
        deterministic=False,
        seconds=2,
    ),
    Agent(
        "tiny",
        "tiny LM",
        "A language model of a million parameters, trained on the form of the oracle's replies.",
        partial(build.language_model, name="tiny"),
        view="text",
        lane="language",
        seconds=10,
    ),
    Agent(
        "tiny_grpo",
        "tiny + GRPO",
        "The same model after minutes of GRPO on the train side of Random calculation, only there.",
        partial(build.reinforced, config=REINFORCED),
        view="text",
        lane="language",
        seconds=40,
    ),
    Agent(
        "smollm2",
        "SmolLM2",
        "SmolLM2-135M-Instruct as it is, greedy; not trained on these worlds.",
        partial(build.language_model, name="smollm2"),
        view="text",
        lane="language",
        seconds=30,
    ),
    Agent(
        "fb",
        "FB",
        "Forward-backward: random transitions without any reward, one model a map; prompted with "
        "each task after training.",
        build.zero_shot,
        seconds=25,
    ),
    Agent(
        "sb3",
        "SB3",
        "Stable-Baselines3 from scratch: MaskablePPO for each opponent, DQN and PPO for one goal.",
        partial(build.from_scratch, settings=FROM_SCRATCH),
        seconds=8,
    ),
    Agent(
        "rule",
        "rule",
        "Equilibrium play in games, the straight line in mazes.",
        build.rule,
        view="text",
        deterministic=False,
        seconds=2,
    ),
    Agent(
        "oracle",
        "oracle",
        "Solver, expert, best response or value iteration: the one of the scale.",
        build.oracle,
        seconds=2,
    ),
)

QUICK = Suite("quick", WORLDS, AGENTS)
