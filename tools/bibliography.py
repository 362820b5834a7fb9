#!/usr/bin/env python3
"""Makes docs/bibliography.md: every work that comments and pages cite, with the files that cite it.

    tools/bibliography.py [--write]

`WORKS` below has the works. A citation is names and a year, the number of a standard, or a report number. Ends with 1
if a file cites a work that `WORKS` lacks, if no file cites one of them, or if the page differs. `--write` writes the
page.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = pathlib.Path("docs/bibliography.md")
FOLDERS = ("include", "src", "python", "docs", "examples", "tests", "tools", "bench")
PAGES = ("README.md", "SECURITY.md", "CONTRIBUTING.md")
SUFFIXES = {".h", ".cpp", ".py", ".md", ".inc"}
OWN = {PAGE, pathlib.Path("tools/bibliography.py"), pathlib.Path("tools/bibliography_test.py")}

# Subject: (how files cite it, reference, report or address). A citation is matched as a regular expression.
EPRINT = "https://eprint.iacr.org/"
RFC = "https://www.rfc-editor.org/rfc/rfc"
WORKS = {
    "Ciphers and random numbers": [
        (r"Rijmen 2000",
         "V. Rijmen. Efficient implementation of the Rijndael S-box. Katholieke Universiteit Leuven 2000",
         "https://www.esat.kuleuven.be/cosic/"),
        (r"Steele, Lea, Flood 2014",
         "G. L. Steele, D. Lea, C. H. Flood. Fast splittable pseudorandom number generators. OOPSLA 2014",
         "https://doi.org/10.1145/2660193.2660195"),
        (r"Marsaglia, Bray 1964",
         "G. Marsaglia, T. A. Bray. A convenient method for generating normal variables. SIAM Review 6, 1964",
         "https://doi.org/10.1137/1006063"),
        (r"Micciancio, Walter 2017",
         "D. Micciancio, M. Walter. Gaussian sampling over the integers: efficient, generic, constant-time. CRYPTO "
         "2017",
         EPRINT + "2017/259"),
    ],
    "Several owners of a key": [
        (r"Ito, Saito,\s+(///\s+)?Nishizeki 1987",
         "M. Ito, A. Saito, T. Nishizeki. Secret sharing scheme realizing general access structure. GLOBECOM 1987",
         "https://doi.org/10.1002/ecjc.4430720906"),
        (r"Regev 2005",
         "O. Regev. On lattices, learning with errors, random linear codes, and cryptography. STOC 2005",
         "https://doi.org/10.1145/1060590.1060603"),
        (r"Fujisaki, Okamoto 1999",
         "E. Fujisaki, T. Okamoto. Secure integration of asymmetric and symmetric encryption schemes. CRYPTO 1999",
         "https://doi.org/10.1007/3-540-48405-1_34"),
    ],
    "Private search": [
        (r"Angel, Chen, Laine, Setty\s+2018",
         "S. Angel, H. Chen, K. Laine, S. Setty. PIR with compressed queries and amortized query processing. IEEE "
         "Symposium on Security and Privacy 2018",
         EPRINT + "2017/1142"),
        (r"Brakerski, Vaikuntanathan 2011",
         "Z. Brakerski, V. Vaikuntanathan. Efficient fully homomorphic encryption from (standard) LWE. FOCS 2011",
         EPRINT + "2011/344"),
    ],
    "CKKS and its bootstraps": [
        (r"Cheon, Kim, Kim, Song 2017",
         "J. H. Cheon, A. Kim, M. Kim, Y. Song. Homomorphic encryption for arithmetic of approximate numbers. "
         "ASIACRYPT 2017",
         EPRINT + "2016/421"),
        (r"(?<!, )Kim, Song 2018",
         "D. Kim, Y. Song. Approximate homomorphic encryption over the conjugate-invariant ring. ICISC 2018",
         EPRINT + "2018/952"),
        (r"Kim, Papadimitriou, Polyakov 2022",
         "A. Kim, A. Papadimitriou, Y. Polyakov. Approximate homomorphic encryption with reduced approximation "
         "error. CT-RSA 2022",
         EPRINT + "2020/1118"),
        (r"Cheon, Han, Kim, Kim, Song 2018",
         "J. H. Cheon, K. Han, A. Kim, M. Kim, Y. Song. Bootstrapping for approximate homomorphic encryption. "
         "EUROCRYPT 2018",
         EPRINT + "2018/153"),
        (r"Chen, Han 2018",
         "H. Chen, K. Han. Homomorphic lower digits removal and improved FHE bootstrapping. EUROCRYPT 2018",
         EPRINT + "2018/067"),
        (r"Chen, Chillotti, Song 2019",
         "H. Chen, I. Chillotti, Y. Song. Improved bootstrapping for approximate homomorphic encryption. EUROCRYPT "
         "2019",
         EPRINT + "2018/1043"),
        (r"Cheon, Han, Hhan 2018",
         "J. H. Cheon, K. Han, M. Hhan. Faster homomorphic discrete Fourier transforms and improved FHE "
         "bootstrapping",
         EPRINT + "2018/1073"),
        (r"Han, Ki 2020",
         "K. Han, D. Ki. Better bootstrapping for approximate homomorphic encryption. CT-RSA 2020",
         EPRINT + "2019/688"),
        (r"Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux 2021",
         "J.-P. Bossuat, C. Mouchet, J. Troncoso-Pastoriza, J.-P. Hubaux. Efficient bootstrapping for approximate "
         "homomorphic encryption with non-sparse keys. EUROCRYPT 2021",
         EPRINT + "2020/1203"),
        (r"Mouchet, Troncoso-Pastoriza,\s+Bossuat, Hubaux\s+(///\s+)?2021",
         "C. Mouchet, J. Troncoso-Pastoriza, J.-P. Bossuat, J.-P. Hubaux. Multiparty homomorphic encryption from "
         "ring-learning-with-errors. PoPETs 2021",
         EPRINT + "2020/304"),
        (r"Bossuat, Troncoso-Pastoriza, Hubaux 2022|ePrint 2022/024",
         "J.-P. Bossuat, J. Troncoso-Pastoriza, J.-P. Hubaux. Bootstrapping for approximate homomorphic encryption "
         "with negligible failure-probability by using sparse-secret encapsulation. ACNS 2022",
         EPRINT + "2022/024"),
        (r"Bae, Cheon, Kim, Stehle 2024",
         "Y. Bae, J. H. Cheon, J. Kim, D. Stehlé. Bootstrapping bits with CKKS. EUROCRYPT 2024",
         EPRINT + "2024/767"),
        (r"Alexandru, Kim, Polyakov 2024",
         "A. Alexandru, A. Kim, Y. Polyakov. General functional bootstrapping using CKKS. 2024",
         EPRINT + "2024/1623"),
        (r"Fejer 1904",
         "L. Fejér. Untersuchungen über Fouriersche Reihen. Mathematische Annalen 58, 1904",
         "https://doi.org/10.1007/BF01447779"),
        (r"Bae, Cheon, Cho, Kim, Kim 2022",
         "Y. Bae, J. H. Cheon, W. Cho, J. Kim, T. Kim. META-BTS: bootstrapping precision beyond the limit. CCS 2022",
         EPRINT + "2022/1167"),
    ],
    "Key switches and linear maps": [
        (r"Chen, Dai, Kim, Song 2020",
         "H. Chen, W. Dai, M. Kim, Y. Song. Efficient homomorphic conversion between (ring) LWE ciphertexts. ACNS 2021",
         "https://eprint.iacr.org/2020/015"),
        (r"Kim, Polyakov, Zucca 2021",
         "A. Kim, Y. Polyakov, V. Zucca. Revisiting homomorphic encryption schemes for finite fields. ASIACRYPT 2021",
         EPRINT + "2021/204"),
        (r"Hwang, Seo, Song 2023",
         "I. Hwang, J. Seo, Y. Song. Optimizing HE operations via level-aware key-switching framework. WAHC 2023",
         EPRINT + "2023/1328"),
        (r"Kim, Lee, Seo, Song 2023",
         "M. Kim, D. Lee, J. Seo, Y. Song. Accelerating HE operations from key decomposition technique. CRYPTO 2023",
         EPRINT + "2023/413"),
        (r"Halevi, Shoup 2018",
         "S. Halevi, V. Shoup. Faster homomorphic linear transformations in HElib. CRYPTO 2018",
         EPRINT + "2018/244"),
        (r"Lyubashevsky, Peikert, Regev 2010",
         "V. Lyubashevsky, C. Peikert, O. Regev. On ideal lattices and learning with errors over rings. EUROCRYPT 2010",
         EPRINT + "2012/230"),
        (r"Gentry, Halevi, Smart 2012",
         "C. Gentry, S. Halevi, N. P. Smart. Homomorphic evaluation of the AES circuit. CRYPTO 2012",
         EPRINT + "2012/099"),
        (r"Juvekar, Vaikuntanathan, Chandrakasan 2018",
         "C. Juvekar, V. Vaikuntanathan, A. Chandrakasan. GAZELLE: a low latency framework for secure neural "
         "network inference. USENIX Security 2018",
         EPRINT + "2018/073"),
        (r"Lee et al\. 2022",
         "E. Lee, J.-W. Lee, J. Lee, Y.-S. Kim, Y. Kim, J.-S. No, W. Choi. Low-complexity deep convolutional neural "
         "networks on fully homomorphic encryption using multiplexed parallel convolutions. ICML 2022",
         EPRINT + "2021/1688"),
        (r"Lai et al\. 2025",
         "Lai et al. Array sharding for large operation/model. ANT-ACE, 2025",
         ""),
        (r"MetaKernel[ ,(]+OOPSLA 2025",
         "MetaKernel. OOPSLA 2025",
         ""),
        (r"OpenXLA 2024",
         "OpenXLA. Shardy, a tensor partitioning system, 2024",
         "https://openxla.org/shardy"),
    ],
    "TFHE": [
        (r"Chillotti et al\. 2020|Chillotti, Gama, Georgieva, Izabachène 2020",
         "I. Chillotti, N. Gama, M. Georgieva, M. Izabachène. TFHE: fast fully homomorphic encryption over the "
         "torus. Journal of Cryptology 33, 2020",
         EPRINT + "2018/421"),
        (r"Chillotti et al\. 2021",
         "I. Chillotti, D. Ligier, J.-B. Orfila, S. Tap. Improved programmable bootstrapping with larger precision "
         "and efficient arithmetic circuits for TFHE. ASIACRYPT 2021",
         EPRINT + "2021/729"),
        (r"Bergerat et al\. 2022|ePrint 2022/704",
         "L. Bergerat, A. Boudi, Q. Bourgerie, I. Chillotti, D. Ligier, J.-B. Orfila, S. Tap. Parameter "
         "optimization and larger precision for (T)FHE",
         EPRINT + "2022/704"),
        (r"Lee, Yoon 2023",
         "K. Lee, J. W. Yoon. Discretization error reduction for high precision torus fully homomorphic encryption. "
         "PKC 2023",
         ""),
        (r"Carpov, Izabachène, Mollimard 2019",
         "S. Carpov, M. Izabachène, V. Mollimard. New techniques for multi-value input homomorphic evaluation and "
         "applications. CT-RSA 2019",
         EPRINT + "2018/622"),
        (r"Klemsa 2021",
         "J. Klemsa. Fast and error-free negacyclic integer convolution using extended Fourier transform. CSCML 2021",
         EPRINT + "2021/480"),
        (r"Gentry, Sahai, Waters 2013",
         "C. Gentry, A. Sahai, B. Waters. Homomorphic encryption from learning with errors. CRYPTO 2013",
         EPRINT + "2013/340"),
    ],
    "Security": [
        (r"Bossuat et al\. 2024|ePrint 2024/463",
         "J.-P. Bossuat et al. Security guidelines for implementing homomorphic encryption, 2024",
         EPRINT + "2024/463"),
        (r"Li(?:,| and) Micciancio,? 2021",
         "B. Li, D. Micciancio. On the security of homomorphic encryption on approximate numbers. EUROCRYPT 2021",
         EPRINT + "2020/1533"),
        (r"Li, Micciancio, Schultz, Sorrell 2022",
         "B. Li, D. Micciancio, M. Schultz, J. Sorrell. Securing approximate homomorphic encryption using "
         "differential privacy. CRYPTO 2022",
         EPRINT + "2022/816"),
        (r"ePrint 2022/1473",
         "M. Hhan, J. Kim, C. Lee, Y. Son. Let's meet ternary keys on Babai's plane: a hybrid of lattice-reduction and "
         "Meet-LWE, 2022",
         EPRINT + "2022/1473"),
    ],
    "Arithmetic of rings": [
        (r"Longa, Naehrig 2016",
         "P. Longa, M. Naehrig. Speeding up the number theoretic transform for faster ideal lattice-based "
         "cryptography. CANS 2016",
         EPRINT + "2016/504"),
        (r"Harvey 2014",
         "D. Harvey. Faster arithmetic for number-theoretic transforms. Journal of Symbolic Computation 60, 2014",
         "https://arxiv.org/abs/1205.2926"),
        (r"Montgomery 1985",
         "P. L. Montgomery. Modular multiplication without trial division. Mathematics of Computation 44, 1985",
         ""),
        (r"Bajard, Eynard, Hasan, Zucca 2016",
         "J.-C. Bajard, J. Eynard, M. A. Hasan, V. Zucca. A full RNS variant of FV like somewhat homomorphic "
         "encryption schemes. SAC 2016",
         EPRINT + "2016/510"),
        (r"Halevi, Polyakov, Shoup 2018",
         "S. Halevi, Y. Polyakov, V. Shoup. An improved RNS variant of the BFV homomorphic encryption scheme. "
         "CT-RSA 2019",
         EPRINT + "2018/117"),
        (r"Sorenson and Webster 2015",
         "J. Sorenson, J. Webster. Strong pseudoprimes to twelve prime bases, 2015",
         "https://arxiv.org/abs/1509.00864"),
        (r"Jiang and Deng 2014",
         "Y. Jiang, Y. Deng. Strong pseudoprimes to the first eight prime bases. Mathematics of Computation 83, 2014",
         "https://arxiv.org/abs/1207.0063"),
        (r"Jaeschke 1993",
         "G. Jaeschke. On strong pseudoprimes to several bases. Mathematics of Computation 61, 1993",
         ""),
    ],
    "Approximation and statistics": [
        (r"Bernstein 1914",
         "S. Bernstein. Sur la meilleure approximation de |x| par des polynômes de degrés donnés. Acta Mathematica "
         "37, 1914",
         ""),
        (r"Lee, Lee, No, Kim 2021",
         "E. Lee, J.-W. Lee, J.-S. No, Y.-S. Kim. Minimax approximation of sign function by composite polynomial "
         "for homomorphic comparison. IEEE TDSC, 2021",
         EPRINT + "2020/834"),
        (r"Paterson, Stockmeyer 1973",
         "M. S. Paterson, L. J. Stockmeyer. On the number of nonscalar multiplications necessary to evaluate "
         "polynomials. SIAM Journal on Computing 2, 1973",
         ""),
        (r"Lawson 1961",
         "C. L. Lawson. Contributions to the theory of linear least maximum approximation. Thesis, UCLA, 1961",
         ""),
        (r"Ellacott, Williams 1976",
         "S. Ellacott, J. Williams. Linear Chebyshev approximation in the complex plane using Lawson's algorithm. "
         "Mathematics of Computation 30, 1976",
         ""),
        (r"Brubeck, Nakatsukasa, Trefethen 2021",
         "P. D. Brubeck, Y. Nakatsukasa, L. N. Trefethen. Vandermonde with Arnoldi. SIAM Review 63, 2021",
         ""),
        (r"Box, Muller 1958",
         "G. E. P. Box, M. E. Muller. A note on the generation of random normal deviates. Annals of Mathematical "
         "Statistics 29, 1958",
         ""),
        (r"Wu, Lin and Weng, 2004",
         "T.-F. Wu, C.-J. Lin, R. C. Weng. Probability estimates for multi-class classification by pairwise "
         "coupling. Journal of Machine Learning Research 5, 2004",
         ""),
    ],
    "Hashes, trees and signatures": [
        (r"Szepieniec, Ashur, Dhooghe 2020",
         "A. Szepieniec, T. Ashur, S. Dhooghe. Rescue-Prime: a standard specification (SoK), 2020",
         EPRINT + "2020/1143"),
        (r"Hisil, Wong, Carter, Dawson 2008",
         "H. Hisil, K. K.-H. Wong, G. Carter, E. Dawson. Twisted Edwards curves revisited. ASIACRYPT 2008",
         EPRINT + "2008/522"),
        (r"Bernstein, Duif, Lange, Schwabe, Yang 2012",
         "D. J. Bernstein, N. Duif, T. Lange, P. Schwabe, B.-Y. Yang. High-speed high-security signatures. Journal "
         "of Cryptographic Engineering 2, 2012",
         EPRINT + "2011/368"),
        (r"RFC 6962",
         "Certificate transparency. RFC 6962",
         RFC + "6962"),
        (r"RFC 8032",
         "Edwards-curve digital signature algorithm (EdDSA). RFC 8032",
         RFC + "8032"),
        (r"RFC 8410",
         "Algorithm identifiers for Ed25519 and others. RFC 8410",
         RFC + "8410"),
        (r"FIPS 180-4",
         "Secure hash standard. FIPS 180-4",
         "https://doi.org/10.6028/NIST.FIPS.180-4"),
        (r"FIPS 197",
         "Advanced encryption standard. FIPS 197",
         "https://doi.org/10.6028/NIST.FIPS.197-upd1"),
    ],
    "Others": [
        (r"Scholz, Eckstein 2002",
         "B. Scholz, E. Eckstein. Register allocation for irregular architectures. LCTES/SCOPES 2002",
         "https://doi.org/10.1145/513829.513854"),
        (r"Halevi, Shoup 2014",
         "S. Halevi, V. Shoup. Algorithms in HElib. CRYPTO 2014",
         EPRINT + "2014/106"),
        (r"Jiang, Kim, Lauter, Song 2018",
         "X. Jiang, M. Kim, K. Lauter, Y. Song. Secure outsourced matrix computation and application to neural networks. "
         "CCS 2018",
         EPRINT + "2018/1041"),
        (r"Devlin, Chang, Lee, Toutanova 2019",
         "J. Devlin, M.-W. Chang, K. Lee, K. Toutanova. BERT: pre-training of deep bidirectional transformers for language "
         "understanding. NAACL 2019",
         "https://arxiv.org/abs/1810.04805"),
        (r"He, Zhang, Ren(?:,| and) Sun,? 2016",
         "K. He, X. Zhang, S. Ren, J. Sun. Deep residual learning for image recognition. CVPR 2016",
         "https://arxiv.org/abs/1512.03385"),
        (r"Tarjan 1972",
         "R. Tarjan. Depth-first search and linear graph algorithms. SIAM Journal on Computing 1, 1972",
         ""),
        (r"RFC 4180",
         "Common format for files of comma-separated values. RFC 4180",
         RFC + "4180"),
        (r"RFC 7235",
         "HTTP/1.1: authentication. RFC 7235",
         RFC + "7235"),
        (r"RFC 9110",
         "HTTP semantics. RFC 9110",
         RFC + "9110"),
        (r"RFC 9112",
         "HTTP/1.1. RFC 9112",
         RFC + "9112"),
    ],
}

# What else looks like a citation: dates, releases and texts of tests.
NO_CITATIONS = re.compile(r"(January|February|March|April|May|June|July|August|September|October|November|December|Jan|"
                          r"Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Debian|Ubuntu|Copyright|UCI|Commit|OOPSLA|"
                          r"CCS|Zen),? (19|20)\d\d$")
NAME = r"[A-Z][\w'-]+"
CITATION = re.compile(rf"(?:{NAME}(?:(?:,| and) {NAME})*(?: et al\.)?,? (?:19|20)\d\d\b(?![-.]\d)|RFC \d{{4}}|"
                      r"FIPS \d+(?:-\d)?|ePrint \d{4}/\d+)")


class Wrong(ValueError):
    pass


def joined(text):
    """The text without marks of comments, its lines joined, so that a citation may end on the next line."""
    return re.sub(r"\s+", " ", re.sub(r"\n[ \t]*(?:///?<?|#|\*)?", "\n", text))


def unknown_citations(text, patterns):
    """The citations in the text that no pattern covers."""
    covered = [found.span() for pattern in patterns for found in pattern.finditer(text)]
    for found in CITATION.finditer(text):
        start, end = found.span()
        if not any(a < end and start < b for a, b in covered) and not NO_CITATIONS.search(found[0]):
            yield found[0]


def texts(root):
    """(path, text) of the files that may cite."""
    files = [root / name for name in PAGES]
    for folder in FOLDERS:
        files += sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
    for path in files:
        if path.is_file() and path.relative_to(root) not in OWN:
            yield path.relative_to(root), joined(path.read_text(encoding="utf-8"))


def citing_files(files, works):
    """For every work of every subject the files that cite it. Throws Wrong with a line for each finding."""
    patterns = {key: re.compile(key) for entries in works.values() for key, _, _ in entries}
    cited, problems = {key: [] for key in patterns}, []
    for path, text in files:
        for key, pattern in patterns.items():
            if pattern.search(text):
                cited[key].append(path)
        problems += [f"{path}: cites '{citation}', which tools/bibliography.py lacks"
                     for citation in unknown_citations(text, patterns.values())]
    problems += [f"no file cites '{key}' of tools/bibliography.py" for key, paths in cited.items() if not paths]
    if problems:
        raise Wrong("\n".join(problems))
    return cited


def page(works, cited):
    lines = ["# Bibliography", "",
             "Comments in the code and pages cite these works by names and year. Each entry lists the files that cite",
             "it. `tools/bibliography.py --write` makes this page, and a test compares it with the files.", ""]
    for subject, entries in works.items():
        lines += [f"## {subject}", ""]
        for key, reference, address in entries:
            link = f" <{address}>." if address else ""
            files = ", ".join(f"`{path.as_posix()}`" for path in cited[key])
            lines.append(f"- {reference}.{link} Cited in {files}.")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page")
    arguments = parser.parse_args()
    try:
        wanted = page(WORKS, citing_files(texts(ROOT), WORKS))
    except Wrong as wrong:
        sys.exit(str(wrong))
    there = ROOT / PAGE
    if arguments.write:
        there.write_text(wanted, encoding="utf-8")
    elif not there.is_file() or there.read_text(encoding="utf-8") != wanted:
        sys.exit(f"{PAGE} is out of date: run tools/bibliography.py --write")


if __name__ == "__main__":
    main()
