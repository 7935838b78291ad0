package main
import ("testing";"github.com/sandboxguard/sandboxguard/secrets/audit")
func BenchmarkZZ(b *testing.B){
 for _,s:=range shapes(){
  b.Run("parts/"+s.name,func(b *testing.B){ b.ReportAllocs(); if err:=s.prepare("off",audit.Discard(),func(m measured)error{ do:=m.calls(m.parted); for b.Loop(){do()}; return nil}); err!=nil{b.Fatal(err)}})
  b.Run("whole/"+s.name,func(b *testing.B){ b.ReportAllocs(); if err:=s.prepare("enforce",willing,func(m measured)error{ do:=m.calls(m.whole); for b.Loop(){do()}; return nil}); err!=nil{b.Fatal(err)}})
  b.Run("json/"+s.name,func(b *testing.B){ if err:=s.prepare("enforce",willing,func(m measured)error{ do,_:=m.jsonWork(); for b.Loop(){do()}; return nil}); err!=nil{b.Fatal(err)}})
 }
}
