//! The works that crates are compared on (tfhe-rs, winterfell), by the protocol of ../measured_work.py.
use std::io::{BufRead, Write};
use std::time::Instant;

use tfhe::shortint::parameters::v1_8::{
    V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128, V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
    V1_8_PARAM_MESSAGE_3_CARRY_3_KS_PBS_TUNIFORM_2M128,
};
use tfhe::shortint::parameters::ClassicPBSParameters;
use tfhe::shortint::{gen_keys, Ciphertext, ServerKey};
use winterfell::crypto::hashers::Rp64_256;
use winterfell::crypto::{Digest, Hasher, MerkleTree};
use winterfell::math::fields::f64::BaseElement;

const SECONDS_OF_A_ROUND: f64 = 0.2;

fn say(line: String) {
    println!("{line}");
    std::io::stdout().flush().unwrap();
}

/// Times `once`, which does `items` pieces of work, whenever a line "go" comes.
fn serve(parameters: &str, items: usize, mut once: impl FnMut(), quality: impl FnOnce() -> String) {
    say(format!("{{\"parameters\": \"{parameters}\"}}"));
    for line in std::io::stdin().lock().lines() {
        if line.unwrap() != "go" {
            break;
        }
        let begin = Instant::now();
        let mut count = 0;
        while count == 0 || begin.elapsed().as_secs_f64() < SECONDS_OF_A_ROUND {
            once();
            count += items;
        }
        say(format!("{{\"seconds\": {}, \"count\": {count}}}", begin.elapsed().as_secs_f64()));
    }
    say(format!("{{\"quality\": \"{}\"}}", quality()));
}

fn table(n: u64, bits: u32) -> u64 {
    (n * n + 3) % (1 << bits)
}

fn lookups(bits: u32, count: usize) {
    let parameters: ClassicPBSParameters = match bits {
        2 => V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128,
        4 => V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
        6 => V1_8_PARAM_MESSAGE_3_CARRY_3_KS_PBS_TUNIFORM_2M128,
        _ => panic!("lookups of 2, 4 or 6 bits"),
    };
    let (client, server): (_, ServerKey) = gen_keys(parameters);
    let accumulator = server.generate_lookup_table(|n| table(n, bits));
    let numbers: Vec<u64> = (0..count as u64).map(|i| (5 * i + 1) % (1 << bits)).collect();
    let hidden: Vec<Ciphertext> = numbers.iter().map(|n| client.unchecked_encrypt(*n)).collect();
    let results = std::cell::RefCell::new(Vec::new());
    let (mut done, mut right) = (0, 0);
    let text = format!(
        "TUniform set, n {}, N {}, failure 2^-128",
        parameters.lwe_dimension.0, parameters.polynomial_size.0
    );
    serve(
        &text,
        count,
        || {
            *results.borrow_mut() = hidden.iter().map(|x| server.apply_lookup_table(x, &accumulator)).collect::<Vec<_>>();
        },
        || {
            for (n, y) in numbers.iter().zip(results.borrow().iter()) {
                done += 1;
                right += usize::from(client.decrypt_message_and_carry(y) == table(*n, bits));
            }
            format!("{right} of {done} right; fails with 2^-128")
        },
    );
}

fn merkle(log2_leaves: u32) {
    let leaves: Vec<<Rp64_256 as Hasher>::Digest> = (0..1u64 << log2_leaves)
        .map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3].map(BaseElement::new).into())
        .collect();
    let root = std::cell::RefCell::new(leaves[0]);
    serve(
        "Rescue Prime over Goldilocks (Rp64_256)",
        1,
        || *root.borrow_mut() = *MerkleTree::<Rp64_256>::new(leaves.clone()).unwrap().root(),
        || {
            let hex: String = root.borrow().as_bytes()[..8].iter().map(|b| format!("{b:02x}")).collect();
            format!("root {hex}")
        },
    );
}

fn main() {
    let work = std::env::args().nth(1).expect("peer-works WORK");
    match work.split('-').collect::<Vec<_>>()[..] {
        ["lookup", bits] => lookups(bits.parse().unwrap(), 1),
        ["lookups", bits] => lookups(bits.parse().unwrap(), 64),
        ["merkle", leaves] => merkle(leaves.parse().unwrap()),
        _ => panic!("{work}: no work of these crates"),
    }
}
