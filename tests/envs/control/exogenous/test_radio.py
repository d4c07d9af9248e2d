"""The radio band: senders as said, an exact filter, and an oracle against brute force."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.exogenous.radio.band import SILENT, Band, band, emitter
from zerogym.envs.control.exogenous.radio.planner import RadioPlan
from zerogym.envs.control.exogenous.radio.tasks import CHANGE, Layout, radio_tasks
from zerogym.errors import NoOracle

make = partial(bare, "CognitiveRadio")
EXACT = {"miss": 0.0, "false_alarm": 0.0}
ERRING = {"miss": 0.2, "false_alarm": 0.1}
CONTEXT = {"period": 2.0, "stride": 1.0, "switch": 0.3}
TASKS = ("avoid", "avoid_steadily", "jam_hopper", "jam_switcher", "least_used", "hold_3")


def test_senders_do_what_their_kind_says() -> None:
    context = CONTEXT | EXACT | {"period": 3.0, "stride": 2.0}
    hopper = emitter("hopper", 5, context)
    state, sending = 0, []
    for _ in range(16):
        sending.append(int(hopper.channels[state]))
        assert hopper.moves[state].max() == 1
        state = int(hopper.moves[state].argmax())
    assert sending == [0, 0, 0, 2, 2, 2, 4, 4, 4, 1, 1, 1, 3, 3, 3, 0]
    restless = emitter("hopper", 5, context | {"period": 1.0})
    assert restless.moves.argmax(axis=1).tolist() == [2, 3, 4, 0, 1]
    switcher = emitter("switcher", 4, context)
    assert np.allclose(np.diag(switcher.moves), 0.7)
    assert np.allclose(switcher.moves[0, 1:], 0.1)
    bursty = emitter("bursty", 3, context)
    speaks = bursty.channels != SILENT
    assert bursty.moves[speaks][:, ~speaks].sum(axis=1) == pytest.approx(0.3)
    for state, after in zip(*np.nonzero(bursty.moves), strict=True):
        assert state % 3 == after % 3, "it never leaves its channel"
    assert (emitter("constant", 3, context).moves == np.eye(3)).all()


@pytest.mark.parametrize("kind", ["constant", "hopper", "switcher", "bursty"])
def test_the_live_world_follows_the_chances_of_the_model(kind: str) -> None:
    env = make(senders=(kind,), context=CONTEXT, horizon=4000)
    env.reset(seed=0)
    counts = np.zeros((env.band.size, env.band.size))
    for _ in range(4000):
        before = env.get_state()["episode"].hidden[0]
        env.step(0)
        counts[before, env._episode.hidden[0]] += 1
    observed = counts.sum(axis=1) > 50
    assert observed.any()
    chances = counts[observed] / counts[observed].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances, env.band.emitters[0].moves[observed], atol=0.07)


def test_errors_of_sensing_are_as_frequent_as_said() -> None:
    env = make(senders=("switcher",), context=ERRING, horizon=3000)
    env.reset(seed=1)
    busy, sensed = [], []
    for _ in range(3000):
        obs = env.step(0)[0]
        busy.append(env.band.busy[env._episode.hidden[0]])
        sensed.append(obs[:5] > 0)
    busy, sensed = np.array(busy), np.array(sensed)
    assert (~sensed)[busy].mean() == pytest.approx(0.2, abs=0.02)
    assert sensed[~busy].mean() == pytest.approx(0.1, abs=0.01)


def outcomes(exact: Band, belief: dict[int, float], action: int) -> dict[Any, dict[int, float]]:
    """Chances of states for each possible observation after an action, by plain counting."""
    found: dict[Any, dict[int, float]] = {}
    for state, chance in belief.items():
        parts = np.unravel_index(state, exact.shape)
        rows = [each.moves[part] for each, part in zip(exact.emitters, parts, strict=True)]
        for after in product(*(np.flatnonzero(row) for row in rows)):
            moved = chance * np.prod([row[part] for row, part in zip(rows, after, strict=True)])
            sending = [int(e.channels[part]) for e, part in zip(exact.emitters, after, strict=True)]
            hits = tuple(action > 0 and one == action - 1 for one in sending)
            for sensed in product((False, True), repeat=exact.channels):
                likely = moved
                for channel, found_busy in enumerate(sensed):
                    error = exact.miss if channel in sending else exact.false_alarm
                    likely *= error if found_busy != (channel in sending) else 1 - error
                if likely > 0:
                    table = found.setdefault((sensed, hits), {})
                    number = int(np.ravel_multi_index(after, exact.shape))
                    table[number] = table.get(number, 0.0) + likely
    return found


def reward_of(own: int, action: int, hits: tuple[bool, ...], change: float) -> float:
    """The reward of `avoid` and its steady sister."""
    if not action:
        return 0.0
    return (-1.0 if any(hits) else 1.0) - change * (own not in (0, action))


def best(exact: Band, belief: dict[int, float], own: int, left: int, change: float) -> float:
    """The highest expected return that any policy of the observations can have."""
    if not left:
        return 0.0
    worths = []
    for action in range(exact.channels + 1):
        worth = 0.0
        for (_, hits), table in outcomes(exact, belief, action).items():
            chance = sum(table.values())
            after = {state: one / chance for state, one in table.items()}
            later = best(exact, after, action, left - 1, change)
            worth += chance * (reward_of(own, action, hits, change) + later)
        worths.append(worth)
    return max(worths)


def of_plan(
    plan: RadioPlan, exact: Band, belief: dict[int, float], observed: Any, left: int, change: float
) -> float:
    """The expected return of the oracle, by following every branch."""
    if not left:
        return 0.0
    layout, dense = plan._layout, np.zeros(exact.size)
    dense[list(belief)] = list(belief.values())
    action = int(plan.worth(dense, observed, left).argmax())
    start = layout.frames * layout.channels
    own = int(observed[start : start + layout.channels] @ np.arange(1, layout.channels + 1))
    worth = 0.0
    for (sensed, hits), table in outcomes(exact, belief, action).items():
        chance = sum(table.values())
        after = np.zeros_like(observed)
        after[: layout.channels] = sensed
        if action:
            after[start + action - 1] = 1.0
            after[start + layout.channels :] = hits
        posterior = {state: one / chance for state, one in table.items()}
        later = of_plan(plan, exact, posterior, after, left - 1, change)
        worth += chance * (reward_of(own, action, hits, change) + later)
    return worth


@pytest.mark.parametrize("task", ["avoid", "avoid_steadily"])
@pytest.mark.parametrize("kind", ["switcher", "hopper"])
@pytest.mark.parametrize("errors", [EXACT, ERRING], ids=["exact", "erring"])
def test_no_policy_beats_the_oracle(kind: str, errors: dict[str, float], task: str) -> None:
    exact, layout = band((kind,), 3, CONTEXT | errors), Layout(3, 1, 1)
    change = CHANGE if task == "avoid_steadily" else 0.0
    plan = RadioPlan(exact, layout, radio_tasks(layout, (kind,))[task], 3)
    nothing = np.zeros(layout.size, dtype=np.float32)
    if errors is EXACT:  # then the state is known, and values are those of known states
        believed, steps = {exact.size - 1: 1.0}, 3
        assert plan.values[steps, exact.size - 1, 0] == pytest.approx(
            best(exact, believed, 0, steps, change)
        )
    else:
        believed, steps = dict.fromkeys(range(exact.size), 1.0 / exact.size), 2
    most = best(exact, believed, 0, steps, change)
    assert of_plan(plan, exact, believed, nothing, steps, change) == pytest.approx(most)


def test_the_filter_counts_every_way_that_explains_the_past() -> None:
    env = make(channels=3, context=CONTEXT | ERRING)
    observed, _ = env.reset(seed=3)
    exact, width = env.band, 3
    belief = {}
    for state in range(exact.size):
        wrong = np.where(exact.busy[state], exact.miss, exact.false_alarm)
        error = exact.busy[state] != (observed[:width] > 0)
        belief[state] = float(np.where(error, wrong, 1 - wrong).prod())
    for action in (1, 0, 2, 3, 3):
        observed = env.step(action)[0]
        end = env.layout.frames * width
        sensed, hits = tuple(observed[:width] > 0), tuple(observed[end + width :] > 0)
        belief = outcomes(exact, belief, action)[sensed, hits]
    total = sum(belief.values())
    expected = [belief.get(state, 0.0) / total for state in range(exact.size)]
    np.testing.assert_allclose(env.belief(), expected, atol=1e-12)
    snapshot = env.get_state()
    env.step(1)
    assert not np.allclose(env.belief(), expected)
    env.set_state(snapshot)
    np.testing.assert_allclose(env.belief(), expected, atol=1e-12)


def test_tasks_reward_what_their_sentences_say() -> None:
    layout = Layout(channels=3, senders=2, frames=2)
    tasks = radio_tasks(layout, ("hopper", "switcher"))
    frames = [1, 0, 1, 1, 0, 0]  # channel 2 was never busy, channel 1 twice
    cases = {
        (1, (0, 0)): {"avoid": 1, "avoid_steadily": 1, "jam_hopper": -1, "jam_switcher": -1},
        (1, (1, 0)): {"avoid": -1, "avoid_steadily": -1, "jam_hopper": 1, "jam_switcher": -1},
        (2, (0, 1)): {"avoid": -1, "avoid_steadily": -1.5, "jam_hopper": -1, "jam_switcher": 1},
        (3, (0, 0)): {"avoid": 1, "avoid_steadily": 0.5, "jam_hopper": -1, "jam_switcher": -1},
        (0, (0, 0)): {"avoid": 0, "avoid_steadily": 0, "jam_hopper": 0, "jam_switcher": 0},
    }
    obs = np.array([[*frames, 1, 0, 0, 0, 0]], dtype=np.float32)  # before, it sent on channel 1
    for (channel, hits), rewards in cases.items():
        own = [float(channel == each) for each in (1, 2, 3)]
        after = np.array([[*frames, *own, *hits]], dtype=np.float32)
        rewards |= {"least_used": channel == 2, "hold_1": channel == 1, "hold_3": channel == 3}
        for name, expected in rewards.items():
            assert tasks[name].relabel(obs, np.array([channel]), after)[0] == expected, name


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_does_every_task(task: str) -> None:
    env = make(task=task, horizon=60)
    oracle, chance = (
        np.mean([play(env, policy, seed).total for seed in range(4)])
        for policy in ("oracle", "random")
    )
    least = {"least_used": 60.0, "hold_3": 60.0, "jam_switcher": 30.0}.get(task, 48.0)
    assert oracle >= least > chance + 15


def test_interference_is_certain_and_words_say_what_numbers_do() -> None:
    env = make(view="text", task="jam_hopper", context=EXACT | {"period": 6.0, "switch": 0.0})
    text, _ = env.reset(options={"start": (2, 2)})
    assert "You sense: busy 2; free 1, 3, 4, 5." in text
    assert text.startswith("Send on the channel of the hopper, so that you jam it.\n")
    words, reward, _, _, info = env.step("<answer>2</answer>")
    assert words.startswith("You sent on 2, on the hopper and switcher. You sense: busy 2;")
    assert (reward, info["cost"], info["void_turn"]) == (1.0, 1.0, False)
    words, reward, _, _, info = env.step("perhaps 2 or 3")
    assert words.startswith("That is no move, so you take `silent`. You were silent. ")
    assert (reward, info["cost"], info["void_turn"]) == (0.0, 0.0, True)
    words, reward, _, _, info = env.step("4")
    assert words.startswith("You sent on 4, alone.")
    assert (reward, info["cost"]) == (-1.0, 0.0)


def test_the_text_says_whether_sensing_may_err() -> None:
    for context, said in (
        ({"miss": 0.0, "false_alarm": 0.0}, "Sensing is exact."),
        ({"miss": 0.0}, "Sensing may err."),
        ({"false_alarm": 0.0}, "Sensing may err."),
    ):
        env = make(view="text")
        assert said in env.reset(seed=0, options={"context": context})[0]


def test_an_oracle_that_would_fill_the_memory_is_refused() -> None:
    env = make(channels=10, senders=("hopper",) * 3, context={"period": 6.0}, task="avoid")
    env.reset(seed=0)
    with pytest.raises(NoOracle, match="216000 states"):
        env.oracle_action()
