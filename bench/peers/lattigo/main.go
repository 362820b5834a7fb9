// The works that Lattigo is compared on, by the protocol of ../measured_work.py: lattigo WORK, rotate-N or multiply-N
// (N: log2 of the ring degree).
package main

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"strings"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

func repeated(first, bits, count int) []int {
	result := []int{first}
	for len(result) < count {
		result = append(result, bits)
	}
	return result
}

func main() {
	name, ring, _ := strings.Cut(os.Args[1], "-")
	// As many limbs of the ciphertext as peer_works.cpp names for the ring.
	logN, limbs, special := 15, 15, 4
	if ring == "16" {
		logN, limbs, special = 16, 28, 7
	}
	parameters := must(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: logN, LogQ: repeated(60, 40, limbs), LogP: repeated(60, 60, special), LogDefaultScale: 40,
	}))
	keys := rlwe.NewKeyGenerator(parameters)
	secret := keys.GenSecretKeyNew()
	rotation := keys.GenGaloisKeyNew(parameters.GaloisElement(1), secret)
	set := rlwe.NewMemEvaluationKeySet(keys.GenRelinearizationKeyNew(secret), rotation)
	evaluator := ckks.NewEvaluator(parameters, set)
	encoder := ckks.NewEncoder(parameters)
	x := make([]float64, parameters.MaxSlots())
	for i := range x {
		x[i] = 2*rand.Float64() - 1
	}
	plain := ckks.NewPlaintext(parameters, parameters.MaxLevel())
	if err := encoder.Encode(x, plain); err != nil {
		panic(err)
	}
	encryptor := rlwe.NewEncryptor(parameters, secret)
	a, b := must(encryptor.EncryptNew(plain)), must(encryptor.EncryptNew(plain))
	var last *rlwe.Ciphertext
	once := func() { last = must(evaluator.RotateNew(a, 1)) }
	if name == "multiply" {
		once = func() {
			last = must(evaluator.MulRelinNew(a, b))
			if err := evaluator.Rescale(last, last); err != nil {
				panic(err)
			}
		}
	}
	text := fmt.Sprintf("%d limbs, first 60 bits, scale 2^40, %d special primes, log QP %.0f, ternary secret",
		limbs, special, parameters.LogQP())
	serve(text, once, func() string {
		got := make([]float64, len(x))
		if err := encoder.Decode(rlwe.NewDecryptor(parameters, secret).DecryptNew(last), got); err != nil {
			panic(err)
		}
		worst, sum := 0.0, 0.0
		for i := range got {
			expected := x[(i+1)%len(x)]
			if name == "multiply" {
				expected = x[i] * x[i]
			}
			miss := math.Abs(got[i] - expected)
			worst, sum = max(worst, miss), sum+miss
		}
		return fmt.Sprintf("%.1f bits in the worst slot, %.1f mean",
			-math.Log2(worst), -math.Log2(sum/float64(len(x))))
	})
}
