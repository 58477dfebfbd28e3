package remoting

import (
	"strconv"

	"mqscope/engine/internal/fastjson"
)

// appendJSONHeader appends c's header with the keys in the order of the Java writer. What
// is null there is left out; bytes that are not UTF-8 become U+FFFD.
func appendJSONHeader(dst []byte, c *Command) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(c.Code), 10)
	if c.Fields != nil {
		dst = append(dst, `,"extFields":{`...)
		for i := range c.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = fastjson.Append(dst, c.Fields[i].Key)
			dst = append(dst, ':')
			dst = fastjson.Append(dst, c.Fields[i].Value)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `,"flag":`...)
	dst = strconv.AppendInt(dst, int64(c.Flag), 10)
	dst = append(dst, `,"language":`...)
	if name := c.Language.name(); name != "" {
		dst = append(dst, '"')
		dst = append(dst, name...)
		dst = append(dst, '"')
	} else {
		dst = append(dst, `null`...) // a number that Java does not know is an error there
	}
	dst = append(dst, `,"opaque":`...)
	dst = strconv.AppendInt(dst, int64(c.Opaque), 10)
	if c.Remark != "" {
		dst = append(dst, `,"remark":`...)
		dst = fastjson.Append(dst, c.Remark)
	}
	dst = append(dst, `,"serializeTypeCurrentRPC":"JSON","version":`...)
	dst = strconv.AppendInt(dst, int64(c.Version), 10)
	return append(dst, '}')
}
