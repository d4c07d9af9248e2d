"""The scripted player of social deduction."""

from typing import TYPE_CHECKING

from zerogym.envs.games.talk.hidden_roles.deduction_rounds import DO, FIRST, REPORT, WAIT
from zerogym.envs.games.talk.hidden_roles.deduction_ship import DeductionState, Ship

if TYPE_CHECKING:
    from zerogym.envs.games.talk.core.rules import TalkState
    from zerogym.envs.games.talk.hidden_roles.social_deduction import SocialDeduction


def scripted(game: "SocialDeduction", state: "TalkState", seat: int) -> int:
    """Do tasks, report, and say whom it has observed killing; the impostor kills unobserved.

    The crew does its tasks by the shortest way and reports what it finds. Who has observed a kill
    says so; the others accuse whom somebody has observed, or say where they were. All vote for the
    player who is named by the first such message, and for nobody without one; who is named itself
    votes for the speaker. The impostor kills in a room with one other player, waits there until it
    can, and else goes on clockwise; in a meeting it says that its accuser has killed, or where it
    was.
    """
    assert isinstance(state, DeductionState)
    ship, nobody = state.ship, game.first_message - 1
    accuser, accused = _accusation(game, state, seat)
    if ship.stage == "vote":
        named = ship.saw[seat] if ship.saw[seat] >= 0 else accused
        if named == seat:
            named = accuser
        lives = 0 <= named != seat and ship.alive[named]
        return nobody - game.players + named if lives else nobody
    if ship.stage == "talk":
        return _message(game, ship, seat, accuser, accused)
    acts, room = game.legal(state), ship.rooms[seat]
    if seat == state.deals[0]:
        company = ship.beside(seat)
        kill = FIRST + game.rooms + company[0] if len(company) == 1 else -1
        if kill in acts:
            return kill
        return WAIT if len(company) == 1 else FIRST + (room + 1) % game.rooms
    if REPORT in acts or DO in acts:
        return REPORT if REPORT in acts else DO
    if not ship.left[seat]:
        return WAIT
    ways = [((task - room) % game.rooms, (room - task) % game.rooms) for task in ship.left[seat]]
    onward, back = min(ways, key=min)
    return FIRST + (room + (1 if onward <= back else -1)) % game.rooms


def _accusation(game: "SocialDeduction", state: "TalkState", seat: int) -> tuple[int, int]:
    """Return the speaker and the killer of the first message of another about a kill; -1 twice."""
    assert isinstance(state, DeductionState)
    kills, ship = game.num_actions - 2 * game.players, state.ship
    for number, act in enumerate(state.said):
        speaker = ship.order[number % len(ship.order)]
        if speaker != seat and kills <= act < kills + game.players:
            return speaker, act - kills
    return -1, -1


def _message(game: "SocialDeduction", ship: Ship, seat: int, accuser: int, accused: int) -> int:
    """Return the message of a scripted player."""
    kills = game.num_actions - 2 * game.players
    if ship.saw[seat] >= 0 and ship.alive[ship.saw[seat]]:
        return kills + ship.saw[seat]
    if accused == seat:
        return kills + accuser
    if accused >= 0 and ship.alive[accused]:
        return kills + game.players + accused
    return game.first_message + 1 + ship.rooms[seat]
