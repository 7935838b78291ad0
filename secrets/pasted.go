package secrets

func looksPasted(s string) bool { return false }

func hasCredentialPrefix(s string) bool { return false }
