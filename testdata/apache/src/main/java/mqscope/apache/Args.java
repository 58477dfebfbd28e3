package mqscope.apache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.ClientConfig;

/** Command line of the form {@code name=value}. */
final class Args {
    private final Map<String, String> values = new LinkedHashMap<>();

    /** Reads args; a name that is not known ends the program, so that a slip does not go unnoticed. */
    Args(String[] args, Set<String> known) {
        for (String arg : args) {
            int at = arg.indexOf('=');
            String name = at < 0 ? arg : arg.substring(0, at);
            if (at < 0 || !known.contains(name)) {
                System.err.println("not an argument: " + arg + "; known, as name=value: " + new java.util.TreeSet<>(known));
                System.exit(2);
            }
            values.put(name, arg.substring(at + 1));
        }
    }

    String must(String name) {
        String value = values.get(name);
        if (value == null) {
            System.err.println(name + "= is missing");
            System.exit(2);
        }
        return value;
    }

    String get(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    int number(String name, int otherwise) {
        return Integer.parseInt(get(name, Integer.toString(otherwise)));
    }

    boolean yes(String name) {
        return Boolean.parseBoolean(get(name, "false"));
    }

    /** Gives a client the id of argument id (ip@instance), or one that no other process has. */
    void identify(ClientConfig client) {
        String id = get("id", "");
        int at = id.indexOf('@');
        if (at < 0) {
            client.setInstanceName("member-" + ProcessHandle.current().pid());
        } else {
            client.setClientIP(id.substring(0, at));
            client.setInstanceName(id.substring(at + 1));
        }
    }
}
