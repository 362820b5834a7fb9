// The protocol of ../measured_work.py in Go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const secondsOfARound = 0.2

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func serve(parameters string, once func(), quality func() string) {
	say := func(line map[string]any) {
		fmt.Println(string(must(json.Marshal(line))))
	}
	say(map[string]any{"parameters": parameters})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() && lines.Text() == "go" {
		begin, count := time.Now(), 0
		for count == 0 || time.Since(begin).Seconds() < secondsOfARound {
			once()
			count++
		}
		say(map[string]any{"seconds": time.Since(begin).Seconds(), "count": count})
	}
	say(map[string]any{"quality": quality()})
}
