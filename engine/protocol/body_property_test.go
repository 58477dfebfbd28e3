package protocol

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

func TestBodiesReadBackWhatTheyWrote(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range allBodies() {
		empty, err := c.decode([]byte("{}"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for range 30 {
			v := reflect.New(reflect.TypeOf(empty)).Elem()
			fillBody(v, "", rnd)
			text := c.encode(v.Interface())
			again, err := c.decode(text)
			if err != nil {
				t.Fatalf("%s: reading back %s: %v", c.name, text, err)
			}
			if diff := cmp.Diff(v.Interface(), again, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: %s\n%s", c.name, diff, text)
			}
		}
	}
}

// fillBody puts chance into a body. name is the field's, for those that hold a name out of a
// few, or a number within limits.
func fillBody(v reflect.Value, name string, rnd *rand.Rand) {
	switch v.Interface().(type) {
	case mq.ConsumeType:
		v.SetUint(rnd.Uint64N(3))
		return
	case mq.ConsumeFromWhere:
		v.SetUint(rnd.Uint64N(6))
		return
	case mq.MessageModel:
		v.SetUint(rnd.Uint64N(2))
		return
	}
	switch name {
	case "Unresolved": // what is left out is not written
		return
	case "ReadQueueNums", "WriteQueueNums":
		v.SetInt(rnd.Int64N(MaxQueuesPerTopic + 1))
		return
	case "Mode":
		v.SetString([]string{ModePull, ModePop}[rnd.IntN(2)])
		return
	case "ConsumeResult":
		v.SetString([]string{"", ResultLater, ResultReturnNull}[rnd.IntN(3)])
		return
	case "ExpressionType", "TopicFilterType": // empty is read as the default
		v.SetString("OTHER")
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillBody(v.Field(i), v.Type().Field(i).Name, rnd)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillBody(v.Elem(), "", rnd)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(noise("b", rnd.IntN(5)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), rnd.IntN(4), 4))
		for i := range v.Len() {
			fillBody(v.Index(i), "", rnd)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rnd.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillBody(key, "", rnd)
			fillBody(value, "", rnd)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "订单 😀", "\x00\x1f\"\\/\u2028", `{"x":1}`, "null"}[rnd.IntN(6)])
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat([]float64{0, 1.5, -1e300, 12345678901, 1e-7}[rnd.IntN(5)])
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(rnd.Uint64()) >> (64 - v.Type().Bits()) >> rnd.IntN(v.Type().Bits()))
	}
}
