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


def places(names: str) -> tuple[Variant, ...]:
    """Return the variants of the goals at these places, separated by blanks."""
    return goals(*(f"goal_{name}" for name in names.split()))


def against(*names: str) -> tuple[Variant, ...]:
    """One variant for each opponent of a game."""
    return tuple(Variant(f"against {name}", {"opponent": name}) for name in names)


FOUR_ROOMS_GOALS = "1_1 1_3 1_7 2_4 2_6 3_1 3_5 5_2 5_7 6_3 6_6 7_1 7_5 7_7"
U_MAP_GOALS = "1_1 1_4 1_7 2_2 2_8 4_1 4_4 4_7 5_5 7_2 7_5 7_8"
MAZE_GOALS = (
    "right_bottom left_top middle left_bottom right_top left middle_bottom middle_top right"
)

text_world = partial(World, agents=WRITERS, limits=SLOW)
game = partial(World, agents=PLAYERS, two_views=True, reply_tokens=24)
four_rooms = partial(World, env_id="zerogym/FourRooms-v0", episodes=20, batch=20)
point_maze = partial(World, env_id="zerogym/PointMaze-v0", agents=MOVERS, episodes=20, batch=20)
(DQN_GOAL,), (PPO_GOAL,) = goals("goal_7_7"), goals("goal_right_top")

WORLDS = (
    text_world(
        "Random calculation",
        "zerogym/RandomCalculation-v0",
        "An expression to evaluate; difficulty 0.5 to 1, test split.",
        episodes=400,
        kwargs={"difficulty": (0.5, 1.0), "split": "test"},
    ),
    text_world(
        "Countdown",
        "zerogym/Countdown-v0",
        "Numbers to combine into a target; difficulty 0 to 0.5, test split.",
        episodes=200,
        kwargs={"difficulty": (0.0, 0.5), "split": "test"},
    ),
    text_world(
        "SQL",
        "zerogym/SQL-v0",
        "A question about an unknown database, several turns; difficulty 0, test split.",
        episodes=100,
        kwargs={"difficulty": 0.0, "split": "test"},
        reply_tokens=64,
        stop=("</sql>",),
        limits={"smollm2": 6},
    ),
    game(
        "Kuhn poker",
        "zerogym/KuhnPoker-v0",
        "Both seats, exact value over all deals, against random play and against CFR.",
        variants=against("random", "cfr"),
        measure="game_tree",
    ),
    game(
        "Tic-tac-toe",
        "zerogym/TicTacToe-v0",
        "Both seats, against random play and against minimax.",
        episodes=200,
        variants=against("random", "minimax"),
        limits={"smollm2": 10, "tiny": 64, "tiny_grpo": 64},
    ),
    four_rooms(
        "Four rooms: goals",
        about="Go to a cell and stay. DQN was trained for one of the goals only.",
        agents=MOVERS,
        variants=places(FOUR_ROOMS_GOALS),
        training_task=DQN_GOAL,
    ),
    four_rooms(
        "Four rooms: other rewards",
        about="Several goals, goals with penalties, smooth fields.",
        agents=("random", "fb", "sb3", "oracle"),
        variants=goals(
            *(f"{kind}_{n}" for kind in ("multi_goal", "goal_penalty", "smooth") for n in range(5))
        ),
        training_task=DQN_GOAL,
    ),
    four_rooms(
        "Four rooms: DQN's goal",
        about="The goal that DQN was trained for.",
        agents=MOVERS,
        episodes=40,
        variants=(DQN_GOAL,),
        batch=40,
    ),
    World(
        "U-map: goals",
        "zerogym/UMap-v0",
        "Two walls with openings at opposite ends: going straight for the goal fails.",
        ("random", "fb", "rule", "oracle"),
        episodes=20,
        variants=places(U_MAP_GOALS),
        batch=20,
    ),
    point_maze(
        "Point maze: goals",
        about="Continuous moves round two walls. PPO was trained for one of the goals only.",
        variants=places(MAZE_GOALS),
        training_task=PPO_GOAL,
    ),
    point_maze(
        "Point maze: PPO's goal",
        about="The goal that PPO was trained for.",
        episodes=40,
        variants=(PPO_GOAL,),
        batch=40,
    ),
    point_maze(
        "Point maze: peaks",
        about="A smooth reward with a peak to sit on and a hill to avoid.",
        variants=goals(*(f"peak_{n}" for n in range(8))),
        training_task=PPO_GOAL,
    ),
)

GRID_PPO = {"n_steps": 128, "batch_size": 256, "n_epochs": 6, "learning_rate": 2e-3}
MAZE_PPO = {"n_steps": 256, "batch_size": 512, "n_epochs": 6, "learning_rate": 2e-3, "gamma": 0.97}
GRID_DQN = {
    **{"learning_starts": 1000, "target_update_interval": 500, "learning_rate": 1e-3},
    **{"gamma": 0.95, "exploration_fraction": 0.4, "buffer_size": 16_000},
}
FROM_SCRATCH = {
    "zerogym/KuhnPoker-v0": SB3Config("maskable_ppo", 16_384, settings=GRID_PPO),
    "zerogym/TicTacToe-v0": SB3Config("maskable_ppo", 32_768, settings=GRID_PPO),
    "zerogym/FourRooms-v0": SB3Config("dqn", 16_000, envs=4, settings=GRID_DQN),
    "zerogym/PointMaze-v0": SB3Config("ppo", 81_920, settings=MAZE_PPO),
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

language_agent = partial(Agent, view="text", lane="language")

AGENTS = (
    Agent(
        "random",
        "random",
        "Well-formed actions, chosen without knowledge: the zero of the scale.",
        build.random,
        deterministic=False,
        seconds=2,
    ),
    language_agent(
        "tiny",
        "tiny LM",
        "A language model of a million parameters, trained on the form of the oracle's replies.",
        partial(build.language_model, name="tiny"),
        seconds=10,
    ),
    language_agent(
        "tiny_grpo",
        "tiny + GRPO",
        "The same model after minutes of GRPO on the train side of Random calculation, only there.",
        partial(build.reinforced, config=REINFORCED),
        seconds=40,
        trained_in=(REINFORCED.env,),
    ),
    language_agent(
        "smollm2",
        "SmolLM2",
        "SmolLM2-135M-Instruct as it is, greedy; not trained on these worlds.",
        partial(build.language_model, name="smollm2"),
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
