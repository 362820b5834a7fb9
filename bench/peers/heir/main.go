// The main program of the network that heir_works.py compiles. heir-lola WORK FOLDER reads FOLDER/heir/rows.json. The
// functions Lola__* are HEIR's.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

type images struct {
	Rows   [][]float32
	Labels []int
	Scores [][]float64
}

type answer struct {
	row    int
	scores []float32
}

func largest[T float32 | float64](scores []T) int {
	best := 0
	for i, score := range scores {
		if score > scores[best] {
			best = i
		}
	}
	return best
}

func main() {
	var data images
	if err := json.Unmarshal(must(os.ReadFile(filepath.Join(os.Args[2], "heir", "rows.json"))), &data); err != nil {
		panic(err)
	}
	evaluator, parameters, encoder, encryptor, decryptor := Lola__configure()
	maps, plains := Lola__preprocessing(parameters, encoder)
	var answers []answer
	once := func() {
		row := len(answers) % len(data.Rows)
		hidden := Lola__encrypt__arg0(evaluator, parameters, encoder, encryptor, data.Rows[row])
		result := Lola__preprocessed(evaluator, parameters, encoder, hidden, maps, plains)
		answers = append(answers, answer{row, Lola__decrypt__result0(evaluator, parameters, encoder, decryptor, result)})
	}
	text := fmt.Sprintf("N = 2^%d, %d limbs, first 60 bits, scale 2^40, log QP %.0f, ternary secret, chosen by HEIR for Lattigo",
		parameters.LogN(), parameters.MaxLevel()+1, parameters.LogQP())
	serve(text, once, func() string {
		right, equal, worst := 0, 0, 0.0
		least, most := math.Inf(1), math.Inf(-1)
		for row, scores := range data.Scores {
			if largest(scores) == data.Labels[row] {
				right++
			}
			for _, score := range scores {
				least, most = min(least, score), max(most, score)
			}
		}
		for _, found := range answers {
			if largest(found.scores) == largest(data.Scores[found.row]) {
				equal++
			}
			for i, score := range data.Scores[found.row] {
				worst = max(worst, math.Abs(float64(found.scores[i])-score))
			}
		}
		return fmt.Sprintf("%.1f %% of %d rows right, %d of %d encrypted as predicted, scores within %.1e of their range",
			100*float64(right)/float64(len(data.Rows)), len(data.Rows), equal, len(answers), worst/(most-least))
	})
}
