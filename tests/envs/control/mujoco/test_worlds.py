"""Features of the MuJoCo bodies that are not planar, against the simulator."""

from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.bodies import OTHERS, make, random_states

mujoco = pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")

each = pytest.mark.parametrize("id", OTHERS)


def simulated(env: Any, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, float]:
    """The features of one state, from MuJoCo."""
    model, data = env.model, mujoco.MjData(env.model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    return MEASURED[env.spec.id](model, data)


def of_ball(model: Any, data: Any) -> dict[str, float]:
    x, y, _ = data.body("ball").xpos
    speed_x, speed_y = velocity(model, data, "ball")[:2]
    return {"x": x, "y": y, "speed_x": speed_x, "speed_y": speed_y}


def of_arm(model: Any, data: Any) -> dict[str, float]:
    x, y, _ = data.body("tip").xpos
    cosine = data.body("arm").xmat[0] * data.body("hand").xmat[0]
    cosine += data.body("arm").xmat[3] * data.body("hand").xmat[3]
    tip_speed = np.linalg.norm(velocity(model, data, "tip"))
    turning = data.body("arm").cvel[2]
    found = {"x": x, "y": y, "tip_speed": tip_speed, "turning": turning}
    return found | {"cosine of bend": cosine}


def of_ant(model: Any, data: Any) -> dict[str, float]:
    torso = data.body("torso")
    axes, moving = torso.xmat.reshape(3, 3), velocity(model, data, "torso")
    turning = np.zeros(6)
    kind, index = mujoco.mjtObj.mjOBJ_XBODY, model.body("torso").id
    mujoco.mj_objectVelocity(model, data, kind, index, turning, 1)
    rates = dict(zip(("roll_rate", "pitch_rate", "yaw_rate"), turning[:3], strict=True))
    speeds = {"speed": moving @ axes[:, 0], "sideways": moving @ axes[:, 1], "climb": moving[2]}
    return {"height": torso.xpos[2], "upright": axes[2, 2]} | speeds | rates


def velocity(model: Any, data: Any, body: str) -> np.ndarray:
    """Return the velocity of the origin of a body, in the frame of the world."""
    found = np.zeros(6)
    kind, index = mujoco.mjtObj.mjOBJ_XBODY, model.body(body).id
    mujoco.mj_objectVelocity(model, data, kind, index, found, 0)
    return found[3:]


MEASURED = {OTHERS[0]: of_ball, OTHERS[1]: of_arm, OTHERS[2]: of_ant}


@each
def test_features_are_those_of_the_simulator(id: str) -> None:
    env = make(id)
    qpos, qvel = random_states(env, 3000)
    obs = env.observations(qpos, qvel)
    found = dict(env.features(obs))
    if "bend" in found:  # the simulator counts full turns
        found["cosine of bend"] = np.cos(found.pop("bend"))
    rows = [simulated(env, *state) for state in zip(qpos, qvel, strict=True)]
    assert set(rows[0]) == set(found)
    for name, values in found.items():
        assert values.dtype == np.float64
        expected = np.array([row[name] for row in rows])
        np.testing.assert_allclose(values, expected, rtol=2e-6, atol=2e-5, err_msg=name)
