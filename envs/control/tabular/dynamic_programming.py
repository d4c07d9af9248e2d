"""Exact solutions of tabular MDPs: optimal values, policy values, successor measures.

Learned agents and oracles are tested against them. The `dynamics` are next states (S, A), integers,
or transition probabilities (S, A, S). A reward belongs to the transition: shape (S,) means a reward
for the state that is *entered*, shape (S, A) one for the state and action, shape (S, A, S) one for
all three. Textbook dynamic programming, as in "Markov Decision Processes" (Puterman 1994); the
successor measure as in "Learning One Representation to Optimize All Rewards" (2021, arXiv
2103.07945). Left out: MDPs too large for an S x S matrix.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Dynamics = Ints | Floats  # (S, A) or (S, A, S)

SETTLED = 10  # sweeps that change no action, before `value_iteration` first solves for the values
SOLVABLE = 500  # states up to which that is faster than further sweeps


def value_iteration(
    dynamics: Dynamics, reward: ArrayLike, gamma: float, tol: float = 1e-10
) -> tuple[Floats, Ints]:
    """Return the optimal discounted values and a greedy policy.

    Args:
        dynamics: Next states (S, A) or probabilities (S, A, S).
        reward: (S,) for the state entered, or (S, A), or (S, A, S).
        gamma: Discount in [0, 1).
        tol: Largest error of the values; more than 0.

    Returns:
        Values (S,) and actions (S,); ties go to the action with the lowest index.
    """
    _check_gamma(gamma)
    if not tol > 0:  # nan included: it would never be reached
        raise ValueError(f"tol must be greater than 0, got {tol}")
    rewards = transition_reward(dynamics, reward)
    values = np.zeros(len(dynamics))
    policy, sweeps = np.full(len(dynamics), -1), 0  # the greedy one, and since when
    patience = SETTLED
    while True:
        q = rewards + gamma * expected(dynamics, values)  # (S, A)
        best = q.max(axis=1)
        change = float(np.abs(best - values).max())
        values = best
        # A contraction: the distance to the fixed point is at most gamma / (1 - gamma) changes.
        if change * gamma <= tol * (1 - gamma):
            near = q >= q.max(axis=1, keepdims=True) - 1e-9  # ties up to rounding
            return values, near.argmax(axis=1)
        greedy = q.argmax(axis=1)
        sweeps = sweeps + 1 if np.array_equal(greedy, policy) else 0
        policy = greedy
        # A policy that stays greedy is mostly optimal, and its exact values end the sweeps; where
        # it is not, they go on from there. Modified policy iteration (Puterman, Shin 1978). Near
        # gamma 1 a solve may be less exact than the bound: ever fewer of them let sweeps reach it.
        if sweeps == patience and len(values) <= SOLVABLE:
            values, sweeps = evaluate_policy(dynamics, policy, rewards, gamma), 0
            patience *= 2


def finite_horizon_values(
    dynamics: Dynamics,
    reward: ArrayLike,
    horizon: int,
    policy: ArrayLike | None = None,
    final: NDArray[np.bool_] | None = None,
) -> Floats:
    """Return the optimal undiscounted values, or a policy's, by steps left; (horizon + 1, S).

    Row h is for h steps left, by backward induction; row 0 is zero.

    Args:
        dynamics: (S, A) or (S, A, S).
        reward: (S,), (S, A) or (S, A, S).
        horizon: Steps of an episode.
        policy: Evaluate this one: (S,) integer actions, or (S, A) probabilities.
        final: (S,) True where entering a state ends the episode, with no reward after it.
    """
    rewards = transition_reward(dynamics, reward)
    goes_on = 1.0 if final is None else 1.0 - final
    chosen = None if policy is None else _probabilities(dynamics, policy)
    values = np.zeros((horizon + 1, len(dynamics)))
    for left in range(1, horizon + 1):
        q = rewards + expected(dynamics, goes_on * values[left - 1])  # (S, A)
        values[left] = q.max(axis=1) if chosen is None else (chosen * q).sum(axis=1)
    return values


def policy_matrix(dynamics: Dynamics, policy: ArrayLike) -> Floats:
    """Return P[s, s'] of a policy; (S, S).

    Args:
        dynamics: (S, A) or (S, A, S).
        policy: (S,) integer actions, or (S, A) probabilities.
    """
    probabilities = _probabilities(dynamics, policy)
    if dynamics.ndim == 3:
        return np.asarray(np.einsum("sa,sat->st", probabilities, dynamics))
    states, actions = dynamics.shape
    matrix = np.zeros((states, states))
    for action in range(actions):
        # One action maps a state to one state, so no index pair occurs twice in a round.
        matrix[np.arange(states), dynamics[:, action]] += probabilities[:, action]
    return matrix


def evaluate_policy(
    dynamics: Dynamics, policy: ArrayLike, reward: ArrayLike, gamma: float
) -> Floats:
    """Return the exact discounted values of a policy, by a linear solve; (S,)."""
    _check_gamma(gamma)
    rewards = (_probabilities(dynamics, policy) * transition_reward(dynamics, reward)).sum(1)
    matrix = policy_matrix(dynamics, policy)
    return np.linalg.solve(np.eye(len(matrix)) - gamma * matrix, rewards)


def successor_measure(p_pi: ArrayLike, gamma: float) -> Floats:
    """Return M = (I - gamma P)^-1: expected discounted visits from the present state on; (S, S).

    M[s, s'] sums gamma^t Pr(s_t = s') over t >= 0 from s_0 = s, so each row sums to
    1 / (1 - gamma). A forward-backward model counts from the *next* state on: for
    action a in s that is row `next_state[s, a]` of M, or `P[s, a] @ M` if it is stochastic,
    and the values of a reward r (S,) for the states entered are `P @ M @ r`.

    Args:
        p_pi: Transition matrix of a policy (S, S), see `policy_matrix`.
        gamma: Discount in [0, 1).
    """
    _check_gamma(gamma)
    matrix = np.asarray(p_pi, dtype=np.float64)
    return np.asarray(np.linalg.inv(np.eye(len(matrix)) - gamma * matrix), dtype=np.float64)


def transition_reward(dynamics: Dynamics, reward: ArrayLike) -> Floats:
    """Return the expected rewards (S, A) of a reward in any of its three shapes."""
    states, actions = _sizes(dynamics)
    given = np.asarray(reward, dtype=np.float64)
    if not np.isfinite(given).all():
        raise ValueError(f"rewards must be finite, got {given[~np.isfinite(given)][0]}")
    if given.shape == (states,):
        return expected(dynamics, given)
    if given.shape == (states, actions):
        return given
    if given.shape == (states, actions, states):
        return np.asarray((transition_probabilities(dynamics) * given).sum(axis=2))
    raise ValueError(
        f"reward must have shape ({states},) or ({states}, {actions}) or "
        f"({states}, {actions}, {states}), got {given.shape}"
    )


def expected(dynamics: Dynamics, values: Floats) -> Floats:
    """Return the expected values (S, A) of the next states, from values (S,)."""
    return np.asarray(values[dynamics] if dynamics.ndim == 2 else dynamics @ values)


def transition_probabilities(dynamics: Dynamics) -> Floats:
    """Return dynamics of either kind as probabilities (S, A, S)."""
    if dynamics.ndim == 3:
        return np.asarray(dynamics, dtype=np.float64)
    return np.asarray(np.eye(len(dynamics))[dynamics.astype(np.int64)])


def _sizes(dynamics: Dynamics) -> tuple[int, int]:
    """Return S and A of dynamics; ValueError if they are malformed."""
    shape, integers = dynamics.shape, np.issubdtype(dynamics.dtype, np.integer)
    if integers and len(shape) == 2 and dynamics.size:
        if dynamics.min() >= 0 and dynamics.max() < shape[0]:
            return shape
        raise ValueError(
            f"next states must lie in 0 to {shape[0] - 1}, got {dynamics.min()} to {dynamics.max()}"
        )
    if integers or len(shape) != 3 or shape[0] != shape[2]:
        raise ValueError(
            f"dynamics must be integers (S, A) or probabilities (S, A, S), "
            f"got {dynamics.dtype} {shape}"
        )
    if not ((dynamics >= 0).all() and np.allclose(dynamics.sum(axis=2), 1, atol=1e-9)):
        raise ValueError("the probabilities of each state and action must be >= 0 and sum to 1")
    return shape[:2]


def _probabilities(dynamics: Dynamics, policy: ArrayLike) -> Floats:
    given = np.asarray(policy)
    states, actions = _sizes(dynamics)
    if given.shape == (states, actions):
        chances = given.astype(np.float64)
        if (chances >= 0).all() and np.allclose(chances.sum(axis=1), 1, atol=1e-6):
            return chances
        raise ValueError("the probabilities of a policy must be >= 0 and sum to 1 in each state")
    if given.shape == (states,) and np.issubdtype(given.dtype, np.integer):
        if given.min() < 0 or given.max() >= actions:
            raise ValueError(
                f"actions must lie in 0 to {actions - 1}, got {given.min()} to {given.max()}"
            )
        return np.eye(actions)[given]
    raise ValueError(
        f"policy must be integer actions ({states},) or probabilities ({states}, {actions}), "
        f"got {given.dtype} {given.shape}"
    )


def _check_gamma(gamma: float) -> None:
    if not 0 <= gamma < 1:
        raise ValueError(f"gamma must be in [0, 1), got {gamma}")
