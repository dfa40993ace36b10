package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func received(input string) []message {
	messages := make(chan message)
	go receive(strings.NewReader(input), messages)
	var found []message
	for one := range messages {
		found = append(found, one)
	}
	return found
}

func TestALineAndACommandAreToldApart(t *testing.T) {
	found := received("h\n11\n2.5\x00echo\x00ä" + "n\n")
	if len(found) != 3 || found[0].line != "h" || found[2].line != "n" {
		t.Fatalf("received %+v", found)
	}
	command := found[1]
	if command.limit != 2500*time.Millisecond {
		t.Errorf("limit %v", command.limit)
	}
	if len(command.argv) != 2 || command.argv[0] != "echo" || command.argv[1] != "ä" {
		t.Errorf("words %q", command.argv)
	}
}

func TestACutCommandIsNoCommand(t *testing.T) {
	for _, input := range []string{"1", "12", "12\n", "12\n2.5\x00echo"} {
		if found := received(input); len(found) != 0 {
			t.Errorf("%q gives %+v", input, found)
		}
	}
}

func TestWhatIsNoRequestEndsTheInput(t *testing.T) {
	for _, payload := range []string{"2.5", "soon\x00echo"} {
		input := fmt.Sprintf("%d\n%sh\n", len(payload), payload)
		if found := received(input); len(found) != 0 {
			t.Errorf("%q gives %+v", input, found)
		}
	}
}

func TestWordsAreSplitIntoCommands(t *testing.T) {
	found := splitCommands([]string{"a", "b", nextCommand, "c"})
	if len(found) != 2 || len(found[0]) != 2 || len(found[1]) != 1 {
		t.Errorf("%q", found)
	}
}

func TestWhyACommandDoesNotStart(t *testing.T) {
	code, _, err := captured([]string{"no-such-tool"})
	if code != codeNotStarted || err == nil || err.Error() != "no-such-tool: No such file or directory" {
		t.Errorf("%d, %v", code, err)
	}
	if _, _, err := captured([]string{"/etc/passwd"}); err == nil || err.Error() != "/etc/passwd: Permission denied" {
		t.Error(err)
	}
}
