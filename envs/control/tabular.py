"""Exact answers on finite deterministic worlds: optimal values, policy values, successor measures.

These are the truths against which learned agents and oracles are tested. `next_state` is an
integer array (S, A). A reward is paid for the transition: shape (S,) means a reward for the state
that is *entered*, shape (S, A) one for the state and action. Textbook dynamic programming; the
successor measure as in "Learning One Representation to Optimize All Rewards" (2021, arXiv
2103.07945). Left out: random transitions, worlds too large for an S x S matrix.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def value_iteration(
    next_state: Ints, reward: ArrayLike, gamma: float, tol: float = 1e-10
) -> tuple[Floats, Ints]:
    """Optimal discounted values and a greedy policy.

    Args:
        next_state: (S, A) where each action leads.
        reward: (S,) for the state entered, or (S, A).
        gamma: Discount in [0, 1).
        tol: Largest error of the values.

    Returns:
        Values (S,) and actions (S,); ties go to the action with the lowest index.
    """
    _check_gamma(gamma)
    paid = transition_reward(next_state, reward)
    values = np.zeros(len(next_state))
    while True:
        q = paid + gamma * values[next_state]  # (S, A)
        change = float(np.abs(q.max(axis=1) - values).max())
        values = q.max(axis=1)
        # A contraction: the distance to the fixed point is at most gamma / (1 - gamma) changes.
        if change * gamma <= tol * (1 - gamma):
            return values, _first_best(q)


def finite_horizon_values(next_state: Ints, reward: ArrayLike, horizon: int) -> Floats:
    """The highest undiscounted return of an episode's rest; (horizon + 1, S).

    Row h is for h steps left, by backward induction; row 0 is zero.
    """
    paid = transition_reward(next_state, reward)
    values = np.zeros((horizon + 1, len(next_state)))
    for left in range(1, horizon + 1):
        values[left] = (paid + values[left - 1][next_state]).max(axis=1)
    return values


def policy_matrix(next_state: Ints, policy: ArrayLike) -> Floats:
    """P[s, s'] of a policy; (S, S).

    Args:
        next_state: (S, A) where each action leads.
        policy: (S,) integer actions, or (S, A) probabilities.
    """
    probabilities = _probabilities(next_state, policy)
    states, actions = next_state.shape
    matrix = np.zeros((states, states))
    for action in range(actions):
        # One action maps a state to one state, so no index pair occurs twice in a round.
        matrix[np.arange(states), next_state[:, action]] += probabilities[:, action]
    return matrix


def evaluate_policy(next_state: Ints, policy: ArrayLike, reward: ArrayLike, gamma: float) -> Floats:
    """Exact discounted values of a policy, by a linear solve; (S,)."""
    _check_gamma(gamma)
    expected = (_probabilities(next_state, policy) * transition_reward(next_state, reward)).sum(1)
    matrix = policy_matrix(next_state, policy)
    return np.linalg.solve(np.eye(len(matrix)) - gamma * matrix, expected)


def successor_measure(p_pi: ArrayLike, gamma: float) -> Floats:
    """M = (I - gamma P)^-1: expected discounted visits, the present state counted; (S, S).

    M[s, s'] sums gamma^t Pr(s_t = s') over t >= 0 from s_0 = s, so each row sums to
    1 / (1 - gamma). What a forward-backward model learns counts from the *next* state on: for
    action a in s that is row `next_state[s, a]` of M, and the values of a reward r (S,) for the
    states entered are `P @ M @ r`.

    Args:
        p_pi: Transition matrix of a policy (S, S), see `policy_matrix`.
        gamma: Discount in [0, 1).
    """
    _check_gamma(gamma)
    matrix = np.asarray(p_pi, dtype=np.float64)
    return np.asarray(np.linalg.inv(np.eye(len(matrix)) - gamma * matrix), dtype=np.float64)


def transition_reward(next_state: Ints, reward: ArrayLike) -> Floats:
    """A reward as (S, A), from either of its two shapes."""
    paid = np.asarray(reward, dtype=np.float64)
    if paid.shape == (len(next_state),):
        return paid[next_state]
    if paid.shape == next_state.shape:
        return paid
    states, actions = next_state.shape
    raise ValueError(
        f"reward must have shape ({states},) or ({states}, {actions}), got {paid.shape}"
    )


def _probabilities(next_state: Ints, policy: ArrayLike) -> Floats:
    given = np.asarray(policy)
    states, actions = next_state.shape
    if given.shape == (states, actions):
        return given.astype(np.float64)
    if given.shape == (states,) and np.issubdtype(given.dtype, np.integer):
        return np.eye(actions)[given]
    raise ValueError(
        f"policy must be integer actions ({states},) or probabilities ({states}, {actions}), "
        f"got {given.dtype} {given.shape}"
    )


def _first_best(q: Floats) -> Ints:
    """Best actions; values equal up to rounding are ties."""
    near = q >= q.max(axis=1, keepdims=True) - 1e-9
    return near.argmax(axis=1)


def _check_gamma(gamma: float) -> None:
    if not 0 <= gamma < 1:
        raise ValueError(f"gamma must be in [0, 1), got {gamma}")
