"""Stories of false belief: people come and go while something is moved about.

Beliefs follow from two rules: those in the room see what happens there and who sees it with them,
and nobody assumes changes that they did not see. `think` carries this out forwards, one mind inside
another; `last_witnessed` looks backwards for the last move that all witnessed together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.renaming import Term

PEOPLE = (
    "Ada", "Ben", "Carla", "David", "Elif", "Femi", "Grace", "Hugo", "Ines", "Jonas", "Kim", "Lea",
    "Marco", "Nora", "Omar", "Paula", "Quentin", "Rosa", "Sven", "Tara",
)  # fmt: skip
PLACES = (
    "basket", "box", "drawer", "crate", "bucket", "suitcase", "jar", "chest", "cupboard", "bag",
    "trunk", "barrel", "locker", "tin", "fridge", "oven", "wardrobe", "backpack", "pot", "safe",
    "bin", "hat", "vase", "sack",
)  # fmt: skip
THINGS = ("ball", "key", "coin", "apple", "letter", "watch", "ring", "spoon", "map", "stamp")
RULES = (
    "Everyone in the room sees what happens there, and who else is there; those outside see "
    "nothing of it. All containers are closed, nobody talks, and people assume that nothing "
    "happens that they do not see. They all know this of each other."
)
MAX_PEOPLE, MAX_EVENTS, MAX_ORDER = 6, 20, 3
FEWEST_EVENTS = 7  # after the first

Event = list[str]  # "move", who, where to; "leave", who; "enter", who


@dataclass
class Mind:
    """A place where something is thought to be, and the minds that others are thought to have."""

    place: str = ""
    others: dict[str, "Mind"] = field(default_factory=dict)

    def see(self, place: str, witnesses: Sequence[str], depth: int) -> None:
        """Note a move that all witnesses see, with one another seeing it."""
        self.place = place
        if depth:
            for name in witnesses:
                self.others.setdefault(name, Mind()).see(place, witnesses, depth - 1)


def think(people: list[str], events: list[Event], depth: int) -> Mind:
    """Return the state after the events, with minds inside minds down to a depth."""
    world, here = Mind(), list(people)
    for kind, who, *where in events:
        if kind == "move":
            world.see(where[0], here, depth)
        elif kind == "leave":
            here.remove(who)
        else:
            here.append(who)
    return world


def believed(world: Mind, chain: Sequence[str]) -> str:
    """Return the place where the first of a chain thinks that the next thinks ... that it is."""
    for name in chain:
        world = world.others[name]
    return world.place


def last_witnessed(events: list[Event], chain: Sequence[str]) -> int:
    """Return the number of the last move that everyone in the chain witnessed."""
    for last in reversed(range(1, len(events))):
        if events[last][0] == "move" and all(_is_here(events, last, name) for name in chain):
            return last
    return 0  # all witnessed the first move


def _is_here(events: list[Event], moment: int, name: str) -> bool:
    """Return whether someone's last passage through the door before a moment was an entry."""
    doors = [event[0] for event in events[:moment] if event[0] != "move" and event[1] == name]
    return not doors or doors[-1] == "enter"


def draw_story(rng: np.random.Generator, difficulty: float) -> Problem:
    """Draw a story that no shortcut answers, with questions on several minds and the true place."""
    size = min(round_randomly(rng, 3 + min(difficulty, 9) / 2), MAX_PEOPLE)
    people = sample_of(rng, PEOPLE, size)
    most = 1 if difficulty < 1 else 2 if difficulty < 3 else MAX_ORDER
    minds = 2 if difficulty < 1 else 3
    count = min(round_randomly(rng, FEWEST_EVENTS + 2 * min(difficulty, 99)), MAX_EVENTS)
    while True:
        events = _draw_events(rng, people, count)
        chains = _draw_chains(rng, people, minds, most)
        places = [events[last_witnessed(events, chain)][2] for chain in chains]
        if places not in shortcuts(events, chains):
            return _write(rng, people, events, chains)


def story_statements(data: Mapping[str, Any]) -> tuple[list[Term], list[str]]:
    """Return events and questions as statements, and the names of people and places in them."""
    people, events = data["people"], data["events"]
    statements: list[Term] = [(f"event {n}", *event) for n, event in enumerate(events)]
    statements += [("question", *chain) for chain in data["chains"]]
    return statements, [*people, *{place: 0 for _, _, *where in events for place in where}]


def shortcuts(events: list[Event], chains: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the answers of those who do not follow who sees what, without the true place."""
    moves = [event for event in events if event[0] == "move"]
    start, real = moves[0][2], moves[-1][2]
    own = {who: place for _, who, place in moves}
    found = [[real] * len(chains), [start] * len(chains)]
    for end in (0, -1):
        names = [chain[end] for chain in chains]
        found.append([own.get(who, start) for who in names])
        found.append([_place_left(events, who) for who in names])
        if max(map(len, chains)) > 1:
            found.append([events[last_witnessed(events, [who])][2] for who in names])
    return found


def _place_left(events: list[Event], who: str) -> str:
    """Return where the thing was when someone left last; where it is if they never did."""
    left = max((n for n, event in enumerate(events) if event[:2] == ["leave", who]), default=None)
    return next(event[2] for event in reversed(events[:left]) if event[0] == "move")


def _draw_chains(
    rng: np.random.Generator, people: list[str], count: int, most: int
) -> list[list[str]]:
    """Draw minds of different people; at least one has the highest order."""
    orders = shuffled(rng, [most, *(draw_int(rng, 1, most) for _ in range(count - 1))])
    chains: list[list[str]] = []
    while len(chains) < count:
        chain = [pick(rng, people)]
        while len(chain) < orders[len(chains)]:
            chain.append(pick(rng, [name for name in people if name != chain[-1]]))
        # the same people in another order witnessed the same together
        if all(set(chain) != set(other) for other in chains):
            chains.append(chain)
    return chains


def _draw_events(rng: np.random.Generator, people: list[str], count: int) -> list[Event]:
    """Draw a first move before all, then moves, leaving and coming back."""
    places = sample_of(rng, PLACES, min(count + 1, 6))
    here = list(people)
    away: list[str] = []
    at = places[0]
    events: list[Event] = [["move", pick(rng, here), at]]
    for step in range(count):
        kind = rng.random()
        if kind < 0.5 or (step == count - 1 and all(e[0] != "move" for e in events[1:])):
            at = pick(rng, [place for place in places if place != at])
            events.append(["move", pick(rng, here), at])
        elif away and (kind < 0.7 or len(here) == 1):
            events.append(["enter", away.pop(int(rng.random() * len(away)))])
            here.append(events[-1][1])
        elif len(here) > 1:
            events.append(["leave", here.pop(int(rng.random() * len(here)))])
            away.append(events[-1][1])
    return events


def _write(
    rng: np.random.Generator, people: list[str], events: list[Event], chains: list[list[str]]
) -> Problem:
    """Write a story and its questions as a problem."""
    thing = pick(rng, THINGS)
    world = think(people, events, max(map(len, chains)))
    places = [*(believed(world, chain) for chain in chains), world.place]
    sentences = [_sentence(event, thing, first=n == 0) for n, event in enumerate(events)]
    text = f"{', '.join(people[:-1])} and {people[-1]} are in a room. {' '.join(sentences)}"
    inner = ["".join(f" that {name} thinks" for name in chain[1:]) for chain in chains]
    questions = [
        f"{n}. Where does {chain[0]} think{others} the {thing} is?"
        for n, (chain, others) in enumerate(zip(chains, inner, strict=True), 1)
    ]
    questions.append(f"{len(places)}. Where is the {thing} really?")
    steps = _witnesses(people, events, thing)
    for chain in chains:
        who = f"{' and '.join(dict.fromkeys(chain))} saw{' together' if len(chain) > 1 else ''}"
        steps.append(f"The last move that {who}: {sentences[last_witnessed(events, chain)]}")
    answer = ", ".join(places)
    steps.append(f"The {thing} is in the {world.place}.\nSo the answer is {answer}")
    wrong = [", ".join([*others, world.place]) for others in shortcuts(events, chains)]
    listed = "\n".join(questions)
    return Problem(
        prompt=f"{RULES}\n\n{text}\n\n{listed}\nAnswer with the names of {len(places)} containers "
        "in this order, separated by commas.",
        answer=answer,
        solution="\n".join(steps),
        distractors=tuple(dict.fromkeys(wrong))[:4],
        category="false_belief",
        data={"people": people, "events": events, "chains": chains},
        canonical=f"{text} {chains}",
    )


def _sentence(event: Event, thing: str, first: bool) -> str:
    kind, who, *where = event
    if kind == "move":
        return f"{who} {'puts' if first else 'moves'} the {thing} into the {where[0]}."
    return f"{who} leaves the room." if kind == "leave" else f"{who} comes back."


def _witnesses(people: list[str], events: list[Event], thing: str) -> list[str]:
    """Return a line for each move with those who see it."""
    here = list(people)
    lines = []
    for kind, who, *where in events:
        if kind == "leave":
            here.remove(who)
        elif kind == "enter":
            here.append(who)
        else:
            lines.append(f"{thing} into the {where[0]}: seen by {', '.join(here)}")
    return lines
