"""A player of `game_ppo.py` as a file, and such files as opponents: `opponent="ppo:FILE.npz"`.

The file is numpy's archive of plain arrays: nothing in it is unpickled. A folder of them is an
opponent made of past selves (`past:FOLDER`). Left out: networks other than the library's own
default for vectors, and learning on from a file.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from zerogym.agents.baselines.game_ppo import NetworkPlayer
from zerogym.agents.npz import read_npz
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.seat_views import action_space, vector_space
from zerogym.envs.games.opponents.past_selves import NoPastSelves, header
from zerogym.errors import require

_RULES = "rules"  # no parameter of the network has this name


def save_ppo(player: NetworkPlayer, path: str | Path) -> Path:
    """Write the network and the rules it plays by; the file is there in whole or not at all.

    Args:
        player: What `learn_ppo` returned.
        path: Ends in `.npz`, so that a folder of such files can be an opponent.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    state = player.model.policy.state_dict()
    arrays: dict[str, Any] = {name: value.cpu().numpy() for name, value in state.items()}
    written = path.with_name(path.name + ".part")
    arrays[_RULES] = np.array(json.dumps(header(player.game)))
    with written.open("wb") as file:
        np.savez(file, **arrays)
    return written.replace(path)


def ppo_opponent(game: Game[Any], path: str) -> NetworkPlayer:
    """The entry point `ppo`: what `opponent="ppo:FILE.npz"` stands for.

    Raises:
        NoPastSelves: If the file holds no such player, or one of another game.
        MissingExtra: If Stable-Baselines3 is not installed.
    """
    needed_by = f"the opponent {f'ppo:{path}'!r}"
    torch = require("torch", "sb3", needed_by)
    policies = require("sb3_contrib.common.maskable.policies", "sb3", needed_by)
    try:
        arrays = read_npz(Path(path).expanduser())
        rules = json.loads(str(arrays.pop(_RULES)))
    except (OSError, ValueError, KeyError) as error:
        raise NoPastSelves(f"{path} holds no player: {error!r:.200}") from None
    if rules != header(game):
        raise NoPastSelves(f"{path} is of {rules}, not of {header(game)}")
    with torch.random.fork_rng(devices=[]):  # its first weights are drawn, and thrown away
        network = policies.MaskableActorCriticPolicy(
            vector_space(game), action_space(game, "numeric"), lambda _: 0.0
        )
    try:
        network.load_state_dict({name: torch.from_numpy(a) for name, a in arrays.items()})
    except (RuntimeError, TypeError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise NoPastSelves(f"{path} holds another network: {reason:.200}") from None
    return NetworkPlayer(game, SimpleNamespace(policy=network.eval()))
