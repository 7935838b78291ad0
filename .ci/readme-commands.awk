# Prints the commands in the shell blocks of that section of README.md which
# shows how to run the integration module. A section reaches from one heading of
# the first or second level to the next. In sh, shell and bash blocks every line
# is a command; in console blocks the lines that begin with "$ " are, and the
# rest is output. Lines of other blocks and comments are ignored.
function finish_section() {
  if (wanted && sections++) print "(in another section:)"
  if (wanted) printf "%s", commands
  commands = ""
  wanted = 0
}

/^```/ {
  if (fence) {
    fence = 0
    language = ""
  } else {
    fence = 1
    language = substr($0, 4)
  }
  next
}

!fence && /^##? / { finish_section() }

fence {
  if (language ~ /^(sh|shell|bash)$/ && $0 !~ /^[ \t]*(#|$)/) line = $0
  else if (language == "console" && /^\$ /) line = substr($0, 3)
  else next
  commands = commands line "\n"
  if (line ~ /^go -C integration_test /) wanted = 1
}

END { finish_section() }
