package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"
)

func main() {
	budget := flag.Duration("budget", 20*time.Second, "")
	prof := flag.String("cpu", "", "")
	only := flag.String("only", "", "")
	flag.Parse()
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	var rs []ratio
	for _, s := range shapes() {
		if *only != "" && s.name != *only {
			continue
		}
		if err := s.prepare(func(m measured) error {
			if err := m.check(); err != nil {
				return err
			}
			j, err := m.jsonWork()
			if err != nil {
				return err
			}
			c, err := m.cipherWork()
			if err != nil {
				return err
			}
			r := pair{candidate: m.guarded, yardstick: j}.measure(*budget / 10)
			rs = append(rs, r)
			r2 := pair{candidate: m.guarded, yardstick: c}.measure(*budget / 10)
			fmt.Printf("%s json %.3f aes %.3f  ns %.0f\n", m.name, r.median, r2.median, calibrated(m.guarded).once())
			return nil
		}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("P1 %.3f\n", geometric(rs).median)
}
