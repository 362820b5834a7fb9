"""Several owners of one secret key, of whom a threshold decrypts together.

    model = tacit.compile("model.onnx", calibration=samples, owners=(3, 2))   # 2 of 3 owners decrypt
    model.client.save("client.tacit")
    owners.make_key("client.tacit", "a.secret", "a.id")                       # each owner
    owners.propose("client.tacit", {"a": "a.id", "b": "b.id", "c": "c.id"}, 2, "proposed")
    owners.Owner("client.tacit", "proposed", "a.secret").commit("a.commit")   # each owner
    owners.agree("client.tacit", "proposed", commits, "group")
    a = owners.Owner("client.tacit", "group", "a.secret")
    a.first_part("a.part1")                                                   # each owner
    a.second_part(firsts, "a.part2")                                          # each owner
    owners.combine_keys("client.tacit", "group", firsts + seconds, "public", "evaluation")
    owners.encrypt_only("client.tacit", "public", {"left": rows}, "left.ct")  # each owner, where inputs have several
    owners.combine_questions("client.tacit", ["left.ct", "right.ct"], "question")
    a.share("answer", "a.id", "a.share")                                      # as many owners as decrypt
    owners.combine_shares("client.tacit", "group", "answer", "a.id", shares, "shared")
    owners.decrypt("client.tacit", "a.secret", "shared", question="question")

Files and refusals are those of the command. An owner's secret is a file that keeps its name and its folder: what it has answered before
lies beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy.typing as npt

from . import _core
from .arrays import Outputs, outputs, rows
from .halves import ClientModel, From, Path, To
from .progress import Progress, shown


def _sources(named: Mapping[str, From]) -> list[tuple[str, From]]:
    return list(named.items())


def make_key(client: From, secret: To, public: To, *, allow_insecure: bool = False) -> None:
    """Makes the key pair of an owner or a receiver, for the client's half of a model."""
    _core.make_owner_key(client, secret, public, allow_insecure)


def propose(
    client: From,
    owners: Mapping[str, From],
    threshold: int,
    group: To,
    *,
    receivers: Mapping[str, From] | None = None,
    statistical_bits: float = 30,
    decryptions: float = 1024,
    allow_insecure: bool = False,
) -> None:
    """Writes a group from the public halves of its owners, by name. `threshold` of them decrypt together. `decryptions` bounds the
    results that are ever decrypted under the key."""
    _core.propose_group(
        client,
        _sources(owners),
        threshold,
        _sources(receivers or {}),
        statistical_bits,
        decryptions,
        group,
        allow_insecure,
    )


def agree(client: From, proposed: From, commitments: Sequence[From], group: To) -> None:
    """Writes the group with the commitments of all its owners."""
    _core.agree_group(client, proposed, list(commitments), group)


class Owner:
    """One owner of a group. It writes the same bytes whenever the same is asked."""

    def __init__(self, client: From, group: From, secret: From, *, allow_insecure: bool = False) -> None:
        self._core = _core.GroupOwner(client, group, secret, allow_insecure)

    def commit(self, to: To, *, memory: int = 0, progress: Progress = None) -> None:
        """Writes the first message. The group is the proposed one. `memory` bounds the keys in bytes; 0: the free memory."""
        with shown(progress) as report:
            self._core.commit(to, memory, report)

    def first_part(self, to: To, *, memory: int = 0, progress: Progress = None) -> None:
        """Writes the second message, for the agreed group."""
        with shown(progress) as report:
            self._core.first_part(to, memory, report)

    def second_part(self, first: Sequence[From], to: To, *, progress: Progress = None) -> None:
        """Writes the third message, from the first parts of all owners."""
        with shown(progress) as report:
            self._core.second_part(list(first), to, report)

    def share(
        self,
        results: From,
        receiver: From,
        to: To,
        *,
        receipts: Sequence[From] = (),
        signers: Sequence[Path] = (),
        progress: Progress = None,
    ) -> int:
        """Writes the share of results for a receiver, and returns the number of results. Each of `signers` (files of public keys) must
        have signed one of `receipts` for them."""
        with shown(progress) as report:
            return self._core.share(results, receiver, to, list(receipts), list(signers), report)


def combine_keys(
    client: From, group: From, parts: Sequence[From], public_key: To, evaluation: To, *, progress: Progress = None
) -> None:
    """Writes the public key and the evaluation keys from the first and second parts of all owners."""
    with shown(progress) as report:
        _core.combine_keys(client, group, list(parts), public_key, evaluation, report)


def encrypt_only(
    client: From,
    public_key: From,
    inputs: Mapping[str, npt.ArrayLike],
    to: To,
    *,
    allow_insecure: bool = False,
    progress: Progress = None,
) -> None:
    """Encrypts inputs of a model that one owner has, by name, and writes a part of a question. An array holds a row for each
    evaluation."""
    arrays = rows(tuple(inputs.values()), None, "the input")
    with shown(progress) as report:
        _core.encrypt_only(client, public_key, list(inputs), arrays, to, allow_insecure, report)


def combine_questions(
    client: From, parts: Sequence[From], to: To, *, group: From | None = None, progress: Progress = None
) -> None:
    """Writes a question from the parts of all owners. Row i of every part belongs to evaluation i. With `group`, parts under another
    key are refused."""
    with shown(progress) as report:
        _core.combine_questions(client, list(parts), to, group, report)


def combine_shares(
    client: From, group: From, results: From, receiver: From, shares: Sequence[From], to: To, *, progress: Progress = None
) -> None:
    """Writes the results for a receiver from the shares of enough owners."""
    with shown(progress) as report:
        _core.combine_shares(client, group, results, receiver, list(shares), to, report)


def decrypt(
    client: From, secret: From, results: From, *, question: From | None = None, allow_insecure: bool = False
) -> Outputs:
    """Returns what a receiver decrypts. `question` names the encrypted inputs that the results must answer."""
    shapes = ClientModel.load(client, allow_insecure=allow_insecure).output_shapes
    return outputs(_core.decrypt_shared(client, secret, results, question), shapes)
