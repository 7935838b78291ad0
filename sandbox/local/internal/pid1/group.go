//go:build linux

package pid1

import "os"

// joinGroup puts this thread into its control group, and so the command that it will start. The rest of the process stays
// where it is, which spares the kernel to hold up all processors.
func joinGroup(s *state) error {
	for _, f := range s.tasks {
		if _, err := f.WriteString("0"); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// takeTasks takes the files that came with the job.
func (s *state) takeTasks(c *Channel) error {
	for range s.job.Tasks {
		f := c.File()
		if f == nil {
			return os.ErrInvalid
		}
		s.tasks = append(s.tasks, f)
	}
	return nil
}
