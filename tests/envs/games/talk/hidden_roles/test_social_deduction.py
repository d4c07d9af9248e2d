"""Social deduction against a second implementation in words, and exact Bayes against counting."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.envs.games.core.game import TERMINAL, deal, load_game
from zerogym.envs.games.core.tabular_policy import branches
from zerogym.envs.games.opponents.registry import opponent_names, uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.talk.core.surveys import exact_belief
from zerogym.envs.games.talk.hidden_roles.social_deduction import SocialDeduction

RING = ["cafeteria", "storage", "engine", "medbay", "lab", "bridge"]


class Reference:
    """The game in words: players are numbers from 1, acts their names."""

    def __init__(self, game: SocialDeduction, deals: tuple[int, ...]) -> None:
        self.game, self.impostor, self.round, self.winner = game, deals[0] + 1, 1, ""
        self.everybody = list(range(1, game.players + 1))
        self.alive, self.pause, self.meeting = list(self.everybody), game.cooldown, ""
        self.at = dict.fromkeys(self.everybody, RING[0])
        self.tasks: dict[int, list[str]] = {self.impostor: []}
        numbers = list(deals[1:])
        for player in self.everybody:
            if player != self.impostor:
                digits = np.base_repr(numbers.pop(0), game.rooms).zfill(game.tasks)[::-1]
                self.tasks[player] = [RING[int(digit)] for digit in digits]
        self.bodies: dict[int, str] = {}
        self.lines: dict[int, list[str]] = {player: [] for player in self.everybody}
        self.chosen: dict[int, str] = {}
        self.queue = list(self.alive)

    def options(self) -> set[str]:
        """Return what the player to move may do."""
        me, rooms = self.queue[0], RING[: self.game.rooms]
        others = [p for p in self.alive if p != me]
        if self.meeting == "talk":
            found = {"say nothing", *(f"i was in {room}" for room in rooms)}
            for p in others:
                found |= {f"i saw player {p} kill", f"i accuse player {p}"}
                found |= {f"i saw player {p} in {room}" for room in rooms}
            return found
        if self.meeting == "vote":
            return {"vote nobody", *(f"vote player {p}" for p in others)}
        here = rooms.index(self.at[me])
        found = {"wait", f"go to {rooms[here - 1]}", f"go to {rooms[(here + 1) % len(rooms)]}"}
        found |= {"do task"} if self.at[me] in self.tasks[me] else set()
        found |= {"report"} if self.at[me] in self.bodies.values() else set()
        if me == self.impostor and self.pause == 0:
            found |= {f"kill player {p}" for p in others if self.at[p] == self.at[me]}
        return found

    def act(self, name: str) -> None:
        """The player to move does something."""
        me = self.queue.pop(0)
        self.lines[me].append(f"[you: {name}]")
        if self.meeting == "talk":
            self.publish([me], {me: name})
            if not self.queue:
                self.meeting, self.queue = "vote", list(self.alive)
            return
        self.chosen[me] = name
        if self.queue:
            return
        chosen, self.chosen = self.chosen, {}
        if self.meeting == "vote":
            self.publish(list(self.alive), chosen)
            self.eject(list(chosen.values()))
        elif "report" in chosen.values():
            self.gather(min(p for p in chosen if chosen[p] == "report"))
            return
        else:
            self.happen(chosen)
        crew = [p for p in self.alive if p != self.impostor]
        if self.impostor not in self.alive or (
            len(crew) >= 2 and all(not self.tasks[p] for p in crew)
        ):
            self.winner = "crew"
        elif len(crew) < 2 or self.round == self.game.rounds:
            self.winner = "impostor"
        self.round, self.queue = self.round + 1, list(self.alive)

    def publish(self, speakers: list[int], names: dict[int, str]) -> None:
        for speaker in speakers:
            for p in self.alive:
                if p != speaker:
                    self.lines[p].append(f"[player {speaker}: {names[speaker]}]")

    def eject(self, votes: list[str]) -> None:
        tally = sorted(((votes.count(v), v) for v in set(votes)), reverse=True)
        clear = len(tally) == 1 or tally[0][0] > tally[1][0]
        who = tally[0][1].removeprefix("vote ") if clear else "nobody"
        for p in self.alive:
            self.lines[p].append(f"{who.capitalize()} is ejected. All go to cafeteria.")
        self.alive = [p for p in self.alive if f"player {p}" != who]
        self.at, self.pause = dict.fromkeys(self.everybody, RING[0]), self.game.cooldown
        self.meeting = ""

    def gather(self, reporter: int) -> None:
        self.publish([reporter], {reporter: "report"})
        place = self.at[reporter]
        found = " and ".join(f"player {p}" for p in sorted(self.bodies) if self.bodies[p] == place)
        living = ", ".join(f"player {p}" for p in self.alive)
        for p in self.alive:
            self.lines[p].append(f"The body of {found} was found in {place}. Alive: {living}.")
        turn = self.alive.index(reporter)
        self.bodies, self.meeting = {}, "talk"
        self.queue = (self.alive[turn:] + self.alive[:turn]) * self.game.talks

    def happen(self, chosen: dict[int, str]) -> None:
        before = dict(self.at)
        victim = next((int(n[-1]) for n in chosen.values() if n.startswith("kill")), 0)
        self.pause = self.game.cooldown if victim else max(0, self.pause - 1)
        if victim:
            self.alive.remove(victim)
            self.bodies[victim] = before[victim]
        for p in self.alive:
            if chosen[p] == "do task":
                self.tasks[p].remove(before[p])
            if chosen[p].startswith("go to "):
                self.at[p] = chosen[p].removeprefix("go to ")
        for p in self.alive:
            others = [f"player {o}" for o in self.alive if o != p and self.at[o] == self.at[p]]
            company = "with " + " and ".join(others) if others else "alone"
            line = f"Round {self.round}: you are in {self.at[p]} {company}."
            for body in sorted(self.bodies):
                if self.bodies[body] == self.at[p]:
                    line += f" The body of player {body} is here."
            near = victim and before[p] == before[victim] and p != self.impostor
            if near and chosen[p] != "do task":
                line += f" You saw player {self.impostor} kill player {victim}."
            self.lines[p].append(line)
        if victim:
            self.lines[victim].append(f"Round {self.round}: player {self.impostor} killed you.")


def lively(game: SocialDeduction, state: Any, rng: np.random.Generator) -> int:
    """A random act, with more reports, kills and votes for players than by uniform play."""
    acts = game.legal(state)
    names = [game.action_name(state, act) for act in acts]
    keen = [a for a, n in zip(acts, names, strict=True) if n == "report" or n.startswith("kill")]
    return int(rng.choice(keen if keen and rng.random() < 0.6 else acts))


GAMES: tuple[dict[str, Any], ...] = (
    {}, {"players": 6, "rooms": 4, "talks": 2, "cooldown": 0, "rounds": 9},
    {"players": 5, "rooms": 2, "tasks": 1, "cooldown": 0, "rounds": 5},
)  # fmt: skip


@pytest.mark.parametrize("parameters", GAMES)
def test_every_seat_reads_what_a_second_implementation_gives_it(parameters: dict[str, Any]) -> None:
    game: Any = load_game("social_deduction", **parameters)
    rng, winners, ejected, keys = np.random.default_rng(1), [], 0, {}
    for _ in range(20):
        state = deal(game, game.initial(), rng)
        other = Reference(game, state.deals)
        while game.to_move(state) != TERMINAL:
            assert game.returns(state) == (0.0,) * game.players and not other.winner
            assert game.to_move(state) + 1 == other.queue[0]
            acts = {game.action_name(state, act): act for act in game.legal(state)}
            assert set(acts) == other.options()
            act = lively(game, state, rng)
            state = game.apply(state, act)
            other.act(game.action_name(state, act))
            for seat in range(game.players):
                head, *lines = game.situation(state, seat).split("\n")
                assert lines == other.lines[seat + 1]
                assert ("impostor" in head) == (seat + 1 == other.impostor)
                array = game.observe(state, seat).tobytes()
                assert keys.setdefault(array, (seat, head, *lines)) == (seat, head, *lines)
        winners.append(other.winner)
        ejected += any("Player" in line for line in other.lines[1])
        won = [s + 1 == other.impostor for s in range(game.players)]
        assert game.payoff(state) == tuple(
            1.0 if is_impostor == (other.winner == "impostor") else -1.0 for is_impostor in won
        )
    assert set(winners) == {"crew", "impostor"} and ejected > 1
    assert len(set(keys.values())) == len(keys) > 500, "as many arrays as texts"


class Rover:
    """A player that goes anywhere in the first round, then clockwise, and does no task.

    It reports; the impostor kills in a room with one other. The crew speaks as the scripted player,
    or half of the time says nothing; nobody is voted for.
    """

    def __init__(self, game: Any) -> None:
        self.game, self.rule = game, scripted_policy(game)

    def probabilities(self, state: Any) -> tuple[float, ...]:
        game, ship, mover = self.game, state.ship, self.game.to_move(state)
        names = [game.action_name(state, act) for act in game.legal(state)]
        if ship.stage == "talk":
            row, silent = self.rule.probabilities(state), 0.5 * (mover != state.deals[0])
            return tuple(p * (1 - silent) + silent * (n == 0) for n, p in enumerate(row))
        keen = [n.startswith("kill") or n in ("report", "vote nobody") for n in names]
        onward = f"go to {RING[(ship.rooms[mover] + 1) % game.rooms]}"
        if not any(keen):
            go = ship.round == 1
            keen = [n == onward or (go and n.startswith(("wait", "go"))) for n in names]
        return tuple(chosen / sum(keen) for chosen in keen)


SMALL: dict[str, Any] = {"rooms": 3, "tasks": 1, "rounds": 3, "cooldown": 1}


def courses(game: Any, player: Any, state: Any, weight: float) -> Iterator[tuple[Any, float]]:
    """All positions of all courses with their probabilities, one after the other."""
    yield state, weight
    for child, probability in branches(game, state, [player] * game.players):
        if probability:
            yield from courses(game, player, child, weight * probability)


@pytest.fixture(scope="module")
def joint() -> Any:
    """For each seat and text in a meeting: a state, and the probability of each impostor.

    Nobody does a task, so that all courses of one deal of tasks are enough.
    """
    game: Any = load_game("social_deduction", **SMALL)
    player = Rover(game)
    found: dict[Any, Any] = defaultdict(lambda: [None, np.zeros(4)])
    for impostor in range(4):
        start = game.initial()
        for outcome in (impostor, 0, 0, 0):
            start = game.apply(start, outcome)
        for state, weight in courses(game, player, start, 0.25):
            for seat in range(4):
                if game.survey(state, seat):
                    entry = found[seat, game.situation(state, seat), game.phase(state).mover]
                    entry[0] = state
                    entry[1][impostor] += weight
    return game, player, found


def test_the_exact_belief_is_that_of_counting_all_courses(joint: Any) -> None:
    game, player, found = joint
    unsure = [key for key, (_, weights) in found.items() if (weights > 0).sum() > 1]
    assert len(found) > 1000 and len(unsure) > 100
    for key in (*unsure[:: len(unsure) // 3], next(iter(found))):
        state, weights = found[key]
        belief = exact_belief(game, state, key[0], [player] * 4)
        assert belief == pytest.approx((weights / weights.sum()).tolist())
        assert belief[key[0]] == 0, "nobody of the crew suspects itself"


@pytest.mark.claim("listening", says="Bayes' posterior is the minimum of the loss.")
def test_the_exact_belief_is_the_fixed_point_of_the_cross_entropy(joint: Any) -> None:
    """At Bayes' posterior the expected loss has no gradient, and any other belief has more."""
    torch = pytest.importorskip("torch")
    from zerogym.agents.llm.algorithms.auxiliary.listening import Listening

    _, _, found = joint
    weights = torch.tensor(np.array([entry[1] for entry in found.values()]))  # (I, 4)
    posterior = (weights / weights.sum(1, keepdim=True)).clamp_min(1e-12)
    mask = torch.ones(1, 1)

    def expected(logits: Any) -> Any:
        """The loss of each answer, by the probability of its survey."""
        logprobs = logits.log_softmax(1).reshape(-1, 1)  # a row for each survey and answer
        losses = Listening()(logprobs, mask.expand(len(logprobs), 1))
        return (losses * weights.reshape(-1)).sum() / weights.sum()

    gradients, values = [], []
    for start in (posterior.log(), torch.zeros_like(posterior), posterior.log() * 0.9):
        logits = start.clone().requires_grad_()
        loss = expected(logits)
        loss.backward()
        gradients.append(float(logits.grad.abs().max()))
        values.append(float(loss.detach()))
    assert gradients[0] < 1e-12 < 1e-5 < min(gradients[1:])
    assert values[0] < values[2] < values[1]
    entropy = -(weights * posterior.log()).sum() / weights.sum()
    assert values[0] == pytest.approx(float(entropy))


def test_who_has_observed_a_kill_says_so_and_the_impostor_lies() -> None:
    game: Any = load_game("social_deduction", cooldown=0)
    state = game.initial()
    for number in (2, 0, 0, 0):  # player 3 is the impostor; tasks in the cafeteria
        state = game.apply(state, number)
    rule, rng = scripted_policy(game), np.random.default_rng(0)

    def play(*names: str) -> None:
        nonlocal state
        for name in names:
            act = {game.action_name(state, a): a for a in game.legal(state)}[name]
            state = game.apply(state, act)

    play("wait", "do task", "kill player 1", "do task")
    assert "You saw" not in game.situation(state, 1), "a task takes all attention"
    play("wait", "kill player 2", "wait")
    assert "player 3 kill player 2" in game.situation(state, 3)
    assert game.payoff(state)[2] == 1, "one of the crew is left"

    state = game.initial()
    for number in (2, 0, 0, 0):
        state = game.apply(state, number)
    play("do task", "wait", "kill player 1", "go to storage")
    assert [state.ship.saw[seat] for seat in (1, 3)] == [2, 2]
    play("report", "wait", "wait")
    said = []
    while game.to_move(state) != TERMINAL:
        act = rule.choose(state, rng)
        said.append(game.action_name(state, act))
        state = game.apply(state, act)
    assert said == [
        "i saw player 3 kill", "i saw player 2 kill", "i saw player 3 kill",
        "vote player 3", "vote player 2", "vote player 3",
    ]  # fmt: skip
    assert state.ship.winner == "crew"


def test_search_is_refused_and_roles_are_dealt() -> None:
    game = load_game("social_deduction")
    assert opponent_names(game) == ("random", "scripted")
    env: Any = pettingzoo.make("aec", "zerogym/social_deduction-v0", view="text")
    roles = set()
    for seed in range(20):
        env.reset(seed=seed)
        own = [env.infos[agent]["role"] for agent in env.possible_agents]
        assert sorted(own) == ["crew"] * 3 + ["impostor"]
        for agent, role in zip(env.possible_agents, own, strict=True):
            assert (", the impostor." in env.observe(agent)["text"]) == (role == "impostor")
            assert env.survey(agent) is None, "no survey before a meeting"
        roles.add(own.index("impostor"))
    assert roles == {0, 1, 2, 3}


def test_the_scripted_crew_wins_half_against_the_scripted_impostor() -> None:
    """By the number of games: 54 % of 2,000 for the scripted crew, 3 % for one at random."""
    game: Any = load_game("social_deduction")
    rule, random = scripted_policy(game), uniform_policy(game)
    rng, won = np.random.default_rng(0), []
    for crew, games in ((rule, 100), (random, 40)):
        winners = []
        for _ in range(games):
            state = deal(game, game.initial(), rng)
            while (mover := game.to_move(state)) != TERMINAL:
                player = rule if mover == state.deals[0] else crew
                state = game.apply(state, player.choose(state, rng))
            winners.append(state.ship.winner)
        won.append(winners.count("crew") / games)
    assert 0.40 < won[0] < 0.68 and won[1] < 0.15


def test_a_lenient_reader_takes_the_first_number_or_silence() -> None:
    game: Any = load_game("social_deduction", lenient=True, messages="numbers", cooldown=0)
    strict: Any = load_game("social_deduction", messages="numbers", cooldown=0)
    state = game.initial()
    for number in (2, 0, 0, 0):
        state = game.apply(state, number)
    names = [game.action_name(state, act) for act in game.legal(state)]
    for reply, act in (
        ("<answer>-2</answer>", names[1]), ("It is 3!", names[2]), ("go to storage", names[2]),
        ("<answer>0</answer>", "wait"), ("99", "wait"), ("", "wait"), ("x" * 10**6 + "2", "wait"),
    ):  # fmt: skip
        assert game.action_name(state, game.parse(state, reply)) == act
    assert [strict.parse(state, reply) for reply in ("It is 3!", "", "99")] == [None] * 3
    silent = Counter[str]()
    while game.to_move(state) != TERMINAL:
        keen = [a for a in game.legal(state) if game.action_name(state, a)[:4] in ("kill", "repo")]
        act = keen[-1] if keen and state.ship.stage == "play" else game.parse(state, "?")
        silent[game.action_name(state, act)] += 1
        state = game.apply(state, act)
    assert silent["say nothing"] == silent["vote nobody"] == 3 and silent["report"] > 0
