package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
)

// tolerances say by which share a store may differ from the reference.
type tolerances struct {
	Orders float64 `json:"orders"`
	Basket float64 `json:"basket"`
}

// expectation is a store's row in the reference table.
type expectation struct {
	town                       string
	orders, basket, refundRate float64
}

// analyse holds every week of every store against the reference and prints what
// is out of line.
func analyse(out io.Writer, rulesFile, ordersFile, referenceFile string) error {
	dir, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	var limits tolerances
	data, err := dir.ReadFile(rulesFile)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &limits); err != nil {
		return fmt.Errorf("%s: %w", rulesFile, err)
	}
	reference, err := readReference(dir.FS(), referenceFile)
	if err != nil {
		return err
	}
	rows, err := readTable(dir.FS(), ordersFile, 6)
	if err != nil {
		return err
	}
	return report(out, rows, reference, limits)
}

func report(out io.Writer, rows [][]string, reference map[string]expectation, limits tolerances) error {
	var orders, revenue float64
	var found []string
	for _, row := range rows {
		store, ok := reference[row[1]]
		n, err := numbers(row[3:])
		if !ok || err != nil {
			return errors.Join(fmt.Errorf("week %s of store %s cannot be judged", row[0], row[1]), err)
		}
		orders, revenue = orders+n[0], revenue+n[1]
		for _, text := range store.judge(n[0], n[1], n[2], limits) {
			found = append(found, fmt.Sprintf("  %s  %s %-8s %s", row[0], row[1], store.town, text))
		}
	}
	fmt.Fprintf(out, "Order anomalies up to %s, in %d rows with %.0f orders and %.2f EUR:\n", os.Getenv(envWeek), len(rows), orders, revenue)
	for _, line := range found {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintf(out, "%d anomalies against the reference table\n", len(found))
	return nil
}

// judge describes what is out of line in one week of a store.
func (e expectation) judge(orders, revenue, refunds float64, limits tolerances) []string {
	var found []string
	if off := orders/e.orders - 1; math.Abs(off) > limits.Orders {
		found = append(found, fmt.Sprintf("orders  %6.0f, expected %6.0f  (%+.0f %%)", orders, e.orders, 100*off))
	}
	if orders == 0 {
		return found
	}
	if off := revenue/orders/e.basket - 1; math.Abs(off) > limits.Basket {
		found = append(found, fmt.Sprintf("basket  %6.2f, expected %6.2f  (%+.0f %%)", revenue/orders, e.basket, 100*off))
	}
	if rate := refunds / orders; rate > e.refundRate {
		found = append(found, fmt.Sprintf("refunds %5.1f%%, at most %6.1f%%", 100*rate, 100*e.refundRate))
	}
	return found
}

func readReference(dir fs.FS, name string) (map[string]expectation, error) {
	rows, err := readTable(dir, name, 6)
	if err != nil {
		return nil, err
	}
	stores := map[string]expectation{}
	for _, row := range rows {
		n, err := numbers(row[3:])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		stores[row[0]] = expectation{town: row[1], orders: n[0], basket: n[1], refundRate: n[2]}
	}
	return stores, nil
}

// readTable reads a CSV file without its heading.
func readTable(dir fs.FS, name string, columns int) ([][]string, error) {
	file, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table := csv.NewReader(file)
	table.FieldsPerRecord = columns
	rows, err := table.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: no rows", name)
	}
	return rows[1:], nil
}

func numbers(fields []string) ([]float64, error) {
	list := make([]float64, len(fields))
	for i, field := range fields {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, err
		}
		list[i] = n
	}
	return list, nil
}
