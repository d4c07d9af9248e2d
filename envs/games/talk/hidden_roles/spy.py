"""The spy game: all see the same scene but one, who has to talk as if it did.

Left out: photographs and charts, which the source has beside symbolic scenes; the rule that a clue
must be a new one; and a vote without the words of the round before (there is one vote, at the end).
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb, fsum
from typing import Any, ClassVar, cast

from zerogym.envs.games.core.game import CHANCE
from zerogym.envs.games.core.players import Player
from zerogym.envs.games.core.replies import written_move
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import SEALED, Move, without_reasoning
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkState
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.talk.hidden_roles.spy_deals import SpyDeals
from zerogym.envs.games.talk.hidden_roles.spy_players import scripted
from zerogym.envs.games.talk.hidden_roles.spy_rewards import VoteRewards

__all__ = ["Spy", "SpyEnv", "scripted"]


@dataclass(frozen=True)
class Spy(SpyDeals):
    """The rules, beside what chance deals; `SpyEnv` has them in words.

    Acts: a statement for each place and colour or shape, `I see 3 things`, a vote for each player,
    `abstain`.
    """

    name: ClassVar[str] = "spy"
    perfect_information: ClassVar[bool] = False

    @property
    def zero_sum(self) -> bool:  # type: ignore[override]
        """The reward of clues sums to 0."""
        return self.reward == "clues"

    @property
    def num_clues(self) -> int:
        """All statements, and the one that says nothing."""
        return self.places * len(self.kinds.statements) + 1

    @property
    def num_actions(self) -> int:
        """Clues, a vote for each player, and none."""
        return self.num_clues + self.players + 1

    @property
    def max_turns(self) -> int:
        """Clues, and a vote of each."""
        return self.players * (self.rounds + 1)

    @property
    def small(self) -> bool:
        """Few ends."""
        scenes = self.kinds.things**self.places * comb(self.places, self.changes)
        deals = scenes * (self.kinds.things - 1) ** self.changes * self.players
        votes = self.players**self.players
        return deals * self.num_clues ** (self.players * self.rounds) * votes < 10_000

    @cached_property
    def votes_bring(self) -> VoteRewards:
        """The reward of each vote to each seat."""
        return VoteRewards(self.players, self.reward, self.shared, self.single)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """The least and the most that all votes together can bring."""
        return self.votes_bring.extremes()

    def phase(self, state: TalkState) -> Phase:
        """Scenes and the spy are dealt; clues in turn; then all vote for another one, sealed."""
        if len(state.deals) < len(self.deal_sizes):
            return Phase(CHANCE)
        made, talk = len(state.turns), self.players * self.rounds
        if made < talk:
            return Phase(made % self.players, tuple(range(self.num_clues)), words="alone")
        voter = made - talk
        if voter == self.players:
            return OVER
        votes = tuple(each for each in range(self.players + 1) if each != voter)
        return Phase(voter, tuple(self.num_clues + vote for vote in votes), SEALED, words="none")

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return the question about the spy, to all others, until the last vote."""
        spy, over = self.spy(state), len(state.turns) == self.max_turns
        if spy in (-1, seat) or over:
            return None
        others = [each for each in range(self.players) if each != seat]
        names = tuple(f"player {each + 1}" for each in others)
        return Survey("Who is the spy?", names, others.index(spy))

    def facts(self, state: TalkState, seat: int) -> dict[str, Any]:
        """The role, which is another one in the vote; and at the end what became of the vote."""
        if self.spy(state) < 0:
            return {}
        votes = len(state.turns) >= self.players * self.rounds
        if seat == self.spy(state):
            return {"role": "decoy" if votes else "spy"}
        found: dict[str, Any] = {"role": "voter" if votes else "civilian"}
        if len(state.turns) == self.max_turns:
            vote = self.votes(state)[seat]
            right = "right" if vote == self.spy(state) else "wrong"
            found["vote"] = "none" if vote is None else right
        return found

    def clues(self, state: TalkState) -> list[tuple[int, int]]:
        """Return who gave which clue, in their order, without words that name no single one."""
        found = []
        for turn in state.turns[: self.players * self.rounds]:
            clue = turn.act if turn.act is not None else self.kinds.named(turn.words)
            if clue is not None:
                found.append((turn.seat, clue))
        return found

    def parse(self, state: TalkState, text: str) -> int | Move | None:  # type: ignore[override]
        """Return the act or words of a reply; a number or `n/a`, as in the source, is a vote."""
        found, acts = super().parse(state, text), self.now(state).acts
        if found is not None or self.messages == "numbers" or acts[0] < self.num_clues:
            return found
        written = written_move(without_reasoning(text))
        numbers = {"n/a": self.players} | {str(each + 1): each for each in range(self.players)}
        act = self.num_clues + numbers.get(written, -1)
        return act if act in acts else None

    def target(self, act: int) -> int | None:
        """Return for whom an act votes; None for nobody."""
        vote = act - self.num_clues
        return vote if vote < self.players else None

    def votes(self, state: TalkState) -> list[int | None]:
        """Return for whom each seat has voted, at the end."""
        last = state.turns[-self.players :]
        return [None if turn.act is None else self.target(turn.act) for turn in last]

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """The sum of what the votes bring, once all have voted."""
        if len(state.turns) < self.max_turns:
            return (0.0,) * self.players
        votes, spy = list(enumerate(self.votes(state))), self.spy(state)
        return tuple(
            fsum(self.votes_bring.gain(seat, voter, vote, spy) for voter, vote in votes)
            for seat in range(self.players)
        )

    def rules(self, seat: int) -> str:
        """The rules in five lines."""
        view = f"one that differs in {self.changes} of its places" if self.changes else "nothing"
        each = "a clue" if self.rounds == 1 else f"{self.rounds} clues"
        return (
            f"Who is the spy? {self.players} players see the same scene, but the spy sees {view}.\n"
            f"In turn they give {each} about what they see, right or not.\n"
            "Then all vote at the same time for another player, or abstain; the vote of the spy "
            f"does not count.\n{self.votes_bring.text()}\nYou are player {seat + 1}."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return whether a seat is the spy, and what it sees."""
        if len(state.deals) < len(self.deal_sizes):
            return ""
        who = "the spy" if seat == self.spy(state) else "not the spy"
        scene = self.scene(state, seat)
        return f"You are {who}. You see {'nothing' if scene is None else self.kinds.text(scene)}."

    def choices(self, state: TalkState) -> str:
        """The form of a clue, or the votes."""
        acts = self.now(state).acts
        if acts[0] >= self.num_clues:
            return super().choices(state)
        vague = self.action_name(state, self.num_clues - 1)
        return f"{self.kinds.forms()}, or <answer>{vague}</answer>"

    def result(self, state: TalkState, seat: int) -> str:
        """Return who was the spy, and the points."""
        points = self.returns(state)[seat]
        return f"The spy is player {self.spy(state) + 1}. You get {points:.4g} points."

    def action_name(self, state: TalkState, action: int) -> str:
        """`left is red`, `left is a cube`, `I see 3 things`, `vote player 2` or `abstain`."""
        if action >= self.num_clues:
            vote = self.target(action)
            return "abstain" if vote is None else f"vote player {vote + 1}"
        if action == self.num_clues - 1:
            return f"I see {self.places} thing{'s' if self.places > 1 else ''}"
        return self.kinds.statement(action)


class SpyEnv(TalkEnv):
    """One seat of the spy game, against given opponents.

    Description:
        All players see the same scene of a few things, but for one: the spy sees one with other
        things, or nothing, and knows that it is the spy. In turn all say something about the scene;
        the others are to say what shows that they see it, the spy is to guess what they see. Then
        all vote at once. Clues bring the spy out the more, the more there are, and the more of them
        are right: a voter that knows how the others talk finds it by Bayes' rule.

    Action:
        As in all games of talk; a vote may be the number of the player, or `n/a`, too.

    Observation:
        As in all games of talk; `render_mode="rgb_array"` shows the seat's own scene as a picture.

    Reward:
        At the end. `reward="clues"`: with v the votes for a seat and m the mean of those for all
        but the spy, the spy gets `-shared (v - m)`, another seat `shared (v_spy - m) / others -
        single (v - m)`; these sum to 0. `reward="votes"`: 1 for a vote for the spy, -1 for another
        one, -0.5 for none, and 0 for the spy.
        `info["role"]` is `civilian` or `spy` while clues are given, and `voter` or `decoy` (the
        spy, whose vote does not count) in the vote; `info["vote"]` at the end is `right`, `wrong`
        or `none`.

    Arguments:
        players: 3 to 6; default 4.
        rounds: Clues of each player, 1 to 3; default 2.
        places: Things of a scene, 1 to 4; default 3.
        colours: 1 to 4; default 3.
        shapes: 1 to 4; default 3. Colours and shapes are not both 1.
        changes: Places in which the spy's scene differs; default 1; 0: the spy sees nothing.
        reward: `clues` (default) or `votes`.
        shared: beta of the reward of clues, in [0, 1]; default 0.1.
        single: lambda of the reward of clues, in [0, 1]; default 0.1.
        messages: `templates` (default), or `free`: words of the seats' own, in the text view.

    Example:
        >>> env = SpyEnv(seat=0, opponent="scripted", players=3, rounds=1, messages="free")
        >>> print(env.reset(seed=1)[0].splitlines()[5])
        You are not the spy. You see left a green ball, middle a blue cone, right a red ball.
        >>> text = env.step("Shall I? <answer>The one in the middle is a cone.</answer>")[0]
        >>> print(text.partition("Reply")[0].partition("red ball.")[2].strip())
        [you] The one in the middle is a cone.
        [player 2: middle is blue]
        [player 3: middle is a cone]
        >>> env.step("<answer>vote player 3</answer>")[4]["vote"]
        'right'

    Source:
        "Vision-Zero: Scalable VLM Self-Improvement via Strategic Gamified Self-Play" (2025, arXiv
        2509.25541); beta and lambda are those of its public code, and so are the values of votes.
        Symbolic scenes and a spy that votes without effect (so that the order of votes shows
        nothing) are our choice.
    """

    rules_class = Spy

    def oracle_policy(self) -> Player:
        """The best response where the game can be solved, else the voter by Bayes' rule."""
        if self.game.enumerable:
            return super().oracle_policy()
        return cast(Player, make_opponent(self.game, self.strongest))
