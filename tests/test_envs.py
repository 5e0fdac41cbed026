"""Environments: the libraries' own conformance tests, and the lanes beside games that are played one by one."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ggp
import ggp.envs
from ggp.core.errors import UsageError
from ggp.core.library import library
from tests.helpers import GAMES, game_files

gymnasium = pytest.importorskip("gymnasium", reason="the extra rl is not installed")
pettingzoo_test = pytest.importorskip("pettingzoo.test", reason="the extra rl is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402 (only where there is one)

from ggp.envs.aec import AecGame  # noqa: E402
from ggp.envs.episode import Episode, reward  # noqa: E402
from ggp.envs.parallel import ParallelGame  # noqa: E402
from ggp.envs.single import GameEnv  # noqa: E402
from ggp.envs.vector import LanesEnv  # noqa: E402

ADVICE = (
    "Observation is not a NumPy array",  # it is a mapping, as those of PettingZoo's own board games
    "Observation space for each agent probably should be",
    "We recommend agents to be named in the format",  # the roles have names
    "Agents have different",
    "Not able to test alternative render modes",
    "Observation numpy array is all zeros",  # who has been told nothing yet
    "Action mask is a single number",
    "The obs returned by the `reset",
)
"""Warnings of the conformance tests that are advice, by their beginning."""
QUICK = ("tic_tac_toe", "roshambo", "poker_small", "eight_puzzle")
"""Turns, moves at the same time, chance and hidden cards, one player."""
TURNS = ("tic_tac_toe", "connect_four", "eight_puzzle")


def files(quick: tuple[str, ...], kinds: tuple[str, ...] = ()) -> list[Any]:
    """The games of the library, of some kinds if any are named; those that are not quick are slow."""
    kind = {game.name: game.kind for game in library()}
    wanted = [file for file in game_files() if not kinds or kind[file.stem] in kinds]
    return [pytest.param(f, id=f.stem, marks=() if f.stem in quick else pytest.mark.slow) for f in wanted]


@pytest.mark.parametrize("game", files(QUICK))
def test_the_libraries_find_nothing_wrong(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pettingzoo_test.api_test(AecGame(game, render_mode="ansi"), num_cycles=30)
        pettingzoo_test.parallel_api_test(ParallelGame(game), num_cycles=30)
        pettingzoo_test.seed_test(lambda: AecGame(game), num_cycles=30)
        pettingzoo_test.parallel_seed_test(lambda: ParallelGame(game), num_cycles=30)
        check_env(GameEnv(game, render_mode="ansi"))
    assert capsys.readouterr().out.count("Passed") == 2
    texts = [str(warning.message).removeprefix("\x1b[33mWARN: ") for warning in told]
    assert [text for text in texts if not text.startswith(ADVICE)] == []


@pytest.mark.parametrize("game", files(TURNS, ("turns", "one player")))
def test_lanes_are_games_side_by_side(game: Path) -> None:
    """Equal actions, some of them not legal, give equal observations, masks, rewards and ends, and new games then."""
    if ggp.game(game).rules.has_hidden_information:
        pytest.skip("positions would give away what is hidden")
    env, generator = LanesEnv(game, 70, limit=12), np.random.default_rng(7)
    episodes = [Episode(env.game, limit=12) for _ in (0, 69)]
    for episode in episodes:
        episode.begin(generator)
    observations, infos = env.reset(seed=1)
    ends = offences = 0
    for _ in range(40):
        mask = infos["action_mask"]
        actions = np.where(mask, generator.random(mask.shape), -1).argmax(axis=1)
        wild = generator.random(70) < 0.05
        actions[wild] = generator.integers(-1, mask.shape[1] + 1, int(wild.sum()))
        to_move = infos["to_move"]
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for lane, episode in zip((0, 69), episodes, strict=True):
            (role,) = episode.asked
            assert role == to_move[lane]
            texts = [env.machine.inputs.texts[n] for n in range(*episode.spans[role])]
            action = int(actions[lane])
            known = 0 <= action < len(env.actions) and env.actions[action] in texts
            episode.play({role: texts.index(env.actions[action]) if known else -1})
            assert (episode.terminated, episode.truncated) == (terminated[lane], truncated[lane])
            assert episode.rewards == tuple(infos["rewards"][lane]) and episode.rewards[role] == rewards[lane]
            assert bool(infos["illegal"][lane]) == bool(episode.offenders)
            if episode.over:
                ends, offences = ends + 1, offences + bool(episode.offenders)
                if not episode.offenders:
                    assert (infos["final_obs"][lane] == episode.bits).all()
                episode.begin(generator)
            assert (observations[lane] == episode.bits).all()
            (role,) = episode.asked
            texts = [env.machine.inputs.texts[n] for n in range(*episode.spans[role])]
            legal = {env.actions[n] for n in np.flatnonzero(infos["action_mask"][lane])}
            assert legal == {texts[n] for n in np.flatnonzero(episode.mask(role)).tolist()}
    assert ends > 2 and offences >= 0


def random_actions(infos: dict[str, Any], generator: np.random.Generator) -> np.ndarray:
    actions: np.ndarray = np.where(infos["action_mask"], generator.random(infos["action_mask"].shape), -1).argmax(axis=1)
    return actions


@pytest.mark.parametrize("role", ["x", "o"])
def test_one_role_of_many_games_against_chance(role: str) -> None:
    """The others move at random; as often as they do, who plays at random wins as often as random plays say."""
    runs = []
    for _ in range(2):
        env, generator = LanesEnv("tic_tac_toe", 512, role), np.random.default_rng(5)
        _, infos = env.reset(seed=11)
        gained: list[float] = []
        for _ in range(60):
            assert "to_move" not in infos
            _, rewards, terminated, truncated, infos = env.step(random_actions(infos, generator))
            assert infos["action_mask"].sum(axis=1).min() > 1 and not truncated.any() and not infos["illegal"].any()
            gained += rewards[terminated].tolist()
        runs.append(gained)
    assert runs[0] == runs[1]
    expected = {"x": 0.585 - 0.288, "o": 0.288 - 0.585}[role]
    assert abs(np.mean(runs[0]) - expected) < 4 / np.sqrt(len(runs[0]))


def test_what_lanes_cannot_do_is_told() -> None:
    with pytest.raises(UsageError, match="hidden information"):
        LanesEnv("poker_small")
    with pytest.raises(UsageError, match="no role 'z'"):
        LanesEnv("tic_tac_toe", role="z")
    with pytest.raises(UsageError, match="0 games"):
        LanesEnv("tic_tac_toe", 0)
    env = LanesEnv("roshambo", 8)
    with pytest.raises(UsageError, match="reset comes before"):
        env.step(np.zeros(8, np.int64))
    env.reset(seed=1)
    with pytest.raises(UsageError, match=r"shape \(8,\)"):
        env.step(np.zeros(7, np.int64))
    with pytest.raises(UsageError, match="several roles choose at once"):
        env.step(np.zeros(8, np.int64))
    with pytest.raises(AttributeError, match="no attribute 'Lanes'"):
        _ = ggp.envs.Lanes


def test_a_role_observes_only_what_it_was_told() -> None:
    """Two deals that differ in the other's card alone look the same; one's own card is seen."""
    found: dict[tuple[str, ...], tuple[bytes, bytes]] = {}
    episode = Episode(GAMES / "poker_small.kif")
    for seed in range(60):
        episode.begin(np.random.default_rng(seed))
        cards = tuple(str(fluent) for fluent in episode.machine.fluents(episode.at))
        found[cards] = (episode.observation(0).tobytes(), episode.observation(1).tobytes())
    views = {first for first, _ in found.values()}, {second for _, second in found.values()}
    assert len(found) > max(map(len, views)) > 1
    assert len(set(found.values())) == len(found)  # both together know all


def test_a_player_of_ours_may_sit_on_the_other_side() -> None:
    env = GameEnv("tic_tac_toe", "o", opponents="ucd:simulations=400", render_mode="ansi")
    lost = 0
    env.action_space.seed(1)
    for seed in range(6):
        _, info = env.reset(seed=seed)
        over, gained = False, 0.0
        while not over:
            action = int(env.action_space.sample(mask=info["action_mask"]))
            _, gained, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        lost += gained < 0
    assert lost >= 4 and "1 2 3" in env.render()
    env.close()
    with pytest.raises(UsageError, match="no role 'third'"):
        GameEnv("nim", "third")
    with pytest.raises(UsageError, match="2 opponents for 1 other roles"):
        GameEnv("nim", opponents=["random"] * 2)
    with pytest.raises(UsageError, match="render mode"):
        AecGame("nim", render_mode="human")


def test_gymnasium_makes_them_by_name() -> None:
    env = gymnasium.make("ggp.envs.single:ggp/Game-v0", game="nim", opponents="legal")
    assert env.reset(seed=1)[0] in env.observation_space
    many = gymnasium.make_vec("ggp/Game-v0", num_envs=4, vectorization_mode="vector_entry_point", game="nim")
    assert many.reset(seed=1)[0] in many.observation_space
    assert reward(100) == 1 and reward(0) == -1


def test_in_parallel_what_is_forced_is_not_looked_at() -> None:
    env = ParallelGame("tic_tac_toe")
    env.reset(seed=1)
    _, gained, terminated, _, _ = env.step({"x": 4, "o": 99})
    assert gained == {"x": 0.0, "o": 0.0} and not any(terminated.values())
    _, gained, terminated, _, _ = env.step({"x": 0, "o": 99})
    assert gained == {"x": 0.0, "o": -1.0} and all(terminated.values()) and env.agents == []
    with pytest.raises(UsageError, match="reset comes first"):
        env.step({})
