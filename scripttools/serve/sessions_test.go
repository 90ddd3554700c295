package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestSessionsThatBeginTogetherAreCounted: sessions that begin at the same moment do not exceed
// the bound.
func TestSessionsThatBeginTogetherAreCounted(t *testing.T) {
	t.Parallel()
	const most, asking = 4, 40
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{MaxSessions: most, Rate: -1})
	var clients []net.Conn
	for range asking { // all but the last character
		clients = append(clients, speak(t, web, fmt.Sprintf("Content-Length: %d", len(hello)), hello[:len(hello)-1]))
	}
	statuses := make(chan int, asking)
	for _, conn := range clients {
		go func() {
			_, _ = io.WriteString(conn, hello[len(hello)-1:])
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				statuses <- 0
				return
			}
			response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	got := map[int]int{}
	for range asking {
		got[<-statuses]++
	}
	if got[http.StatusOK] < 1 || got[http.StatusOK] > most || got[http.StatusOK]+got[http.StatusServiceUnavailable] != asking {
		t.Errorf("%d sessions may be there; answers by status: %v", most, got)
	}
}
