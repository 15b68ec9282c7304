package contract_test
import ("testing";"time";"cuatui/engine/contract")
func TestZZ(t *testing.T){ for range 3 { s:=time.Now(); n:=len(contract.FullToolList()); t.Log(n, time.Since(s)); s=time.Now(); n=len(contract.ToolList()); t.Log(n, time.Since(s)) } }
