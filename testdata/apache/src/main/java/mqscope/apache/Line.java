package mqscope.apache;

import java.util.Collection;

/** One line of JSON on standard output, flushed when done. Lines of several threads do not mix. */
final class Line {
    private final StringBuilder text = new StringBuilder("{");

    static Line of(String event) {
        return new Line().put("event", event).put("at", System.currentTimeMillis());
    }

    Line put(String key, long value) {
        return key(key, Long.toString(value));
    }

    Line put(String key, boolean value) {
        return key(key, Boolean.toString(value));
    }

    Line put(String key, String value) {
        return key(key, value == null ? "null" : quote(value));
    }

    Line put(String key, Collection<String> values) {
        StringBuilder list = new StringBuilder("[");
        for (String value : values) {
            list.append(list.length() > 1 ? "," : "").append(quote(value));
        }
        return key(key, list.append(']').toString());
    }

    void print() {
        synchronized (System.out) {
            System.out.println(text.append('}'));
            System.out.flush();
        }
    }

    private Line key(String key, String json) {
        text.append(text.length() > 1 ? "," : "").append(quote(key)).append(':').append(json);
        return this;
    }

    private static String quote(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
