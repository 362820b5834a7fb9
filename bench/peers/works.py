"""The comparisons: works of peers with the works of ours, and the works that are not compared, with reasons."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Work:
    title: str
    peer: str  # a name of peers.PEERS
    ours: str  # argument of peer_works, or "model NAME"
    theirs: str  # argument of the peer's script or program
    memory: float = 2  # GiB that both sides hold together, with their keys
    rounds: int = 0  # fewer than asked for, where one takes long; 0: as asked

    @property
    def name(self):
        """Returns the name that --only compares with."""
        return f"{self.peer} {self.theirs}"


def primitives(peer, *rings):
    titles = {"rotate": "rotation", "multiply": "product, relinearised, rescaled"}
    return [Work(f"{titles[kind]}, N = 2^{ring}", peer, f"{kind}-{ring}", f"{kind}-{ring}", 4)
            for ring in rings for kind in titles]


WORKS = [
    *primitives("openfhe", 15, 16),
    *primitives("tenseal", 15),
    *primitives("lattigo", 15, 16),
    Work("bootstrap, N = 2^16, 2^15 slots", "openfhe", "bootstrap-16", "bootstrap-16", 15, 3),
    Work("lookup, 4 bits, of 64", "openfhe", "lookups-4", "lookups-4-64", 6),
    Work("lookup, 4 bits, of 65,536; ours of 64", "openfhe", "lookups-4", "lookups-4-65536", 12, 3),
    Work("lookup, 2 bits, alone", "tfhe-rs", "lookup-2", "lookup-2"),
    Work("lookup, 4 bits, alone", "tfhe-rs", "lookup-4", "lookup-4"),
    Work("lookup, 4 bits, of 64", "tfhe-rs", "lookups-4", "lookups-4"),
    Work("lookup, 6 bits, alone", "tfhe-rs", "lookup-6", "lookup-6", 4),
    Work("lookup, 4 bits, alone", "concrete", "lookup-4-40", "lookup-4-40"),
    Work("lookup, 4 bits, of 64", "concrete", "lookups-4-40", "lookups-4-40"),
    Work("logistic regression, breast cancer, a row", "concrete", "model logistic", "logistic", 3),
    Work("10 boosted trees of depth 3, breast cancer, a row", "concrete", "model boosted", "boosted", 4),
    Work("perceptron of 30 units, breast cancer, a row", "concrete", "model perceptron", "perceptron", 4),
    Work("perceptron of 2 units, breast cancer, a row", "concrete", "model narrow", "narrow", 4),
    Work("LoLa's small network, MNIST, an image", "tenseal", "model lola", "lola", 4, 2),
    Work("LoLa's small network, MNIST, an image", "heir", "model lola", "lola", 4),
    Work("Merkle tree of 2^16 leaves, Rescue Prime", "winterfell", "merkle-16", "merkle-16"),
]

NOT_COMPARED = {
    "HElayers (pyhelayers 1.5.5.4)": "not installed: its licence allows non-commercial use alone",
    "DESILO FHE (desilofhe 2.0.0)": "not installed: its licence allows non-commercial use alone",
    "Orion (orion-fhe 1.0.2)": "no work was written for it",
    "HEIR with OpenFHE": "needs OpenFHE's headers, and no package registry has them; compared with Lattigo",
    "TenSEAL at N = 2^16, and its bootstrap": "SEAL's largest ring is 2^15, and SEAL has no bootstrap",
    "Lattigo's bootstrap": "18.7 GB at its peak on another machine, beside ours more than 24 GiB leave free",
    "tfhe-rs, 8 bits": "13.8 GB and minutes of key generation",
    "Concrete at a failure of 2^-128": "compared at its own default of 2^-40, ours at the same",
}
