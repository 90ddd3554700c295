package serve

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRoomIsNeverOverfullNorLost: whatever is claimed, tried, given up and partly given back,
// no more is held than there is, no claim waits that is next and fits, and in the end nothing
// is held.
func TestRoomIsNeverOverfullNorLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHall(10, 6)
		var all []*taken // that have asked and have not left
		granted := func(one *taken) bool {
			select {
			case <-one.granted:
				return true
			default:
				return false
			}
		}
		check := func(t *rapid.T) {
			var held int64
			sessions, waiting := map[claimant]int64{}, 0
			for _, one := range all {
				if !granted(one) {
					waiting++
					continue
				}
				held += one.size
				sessions[one.of] += one.size
			}
			if held != h.held || held > h.most || waiting != len(h.waiting) {
				t.Fatalf("%d are held and %d wait; counted are %d and %d", held, waiting, h.held, len(h.waiting))
			}
			for of, n := range sessions {
				if n > h.mostOfSession || n != h.sessions[of] {
					t.Fatalf("%v holds %d, and %d are counted", of, n, h.sessions[of])
				}
			}
			if next := h.next(); next != nil && h.fits(next) {
				t.Fatalf("%+v waits, and there is room", next)
			}
		}
		who := rapid.Custom(func(t *rapid.T) claimant {
			n := rapid.IntRange(0, 5).Draw(t, "session")
			return claimant{string(rune('a' + n/3)), n}
		})
		leave := func(t *rapid.T, one *taken, size int64) {
			if granted(one) {
				one.shrink(size)
			} else {
				h.giveUp(one)
			}
			if size == 0 || !granted(one) {
				all = slices.DeleteFunc(all, func(other *taken) bool { return other == one })
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": check,
			"ask": func(t *rapid.T) {
				all = append(all, h.ask(who.Draw(t, "who"), rapid.Int64Range(1, 12).Draw(t, "size"), nil))
			},
			"try": func(t *rapid.T) {
				if one := h.try(who.Draw(t, "who"), rapid.Int64Range(1, 12).Draw(t, "size"), nil); one != nil {
					all = append(all, one)
				}
			},
			"leave": func(t *rapid.T) {
				if len(all) > 0 {
					one := rapid.SampledFrom(all).Draw(t, "which")
					leave(t, one, rapid.Int64Range(0, one.size-1).Draw(t, "size"))
				}
			},
		})
		for len(all) > 0 {
			leave(t, all[0], 0)
			check(t)
		}
		if h.held != 0 || len(h.clients) != 0 || len(h.sessions) != 0 {
			t.Fatalf("%+v is left", h)
		}
	})
}
