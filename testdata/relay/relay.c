/* relay carries bytes between two sockets and looks at none of them: what standing between a client and a
 * broker costs at the least, for a program that asks the kernel for nothing but read and write. It has a
 * thread for each direction, which waits in read. BenchmarkApacheCatchUp of engine/proxy builds it.
 *
 * relay PORT BROKER-PORT: listens on 127.0.0.1:PORT, until it is killed. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct way {
	int from, to;
};

static void *carry(void *arg)
{
	struct way *w = arg;
	char *buf = malloc(64 << 10);
	ssize_t n, m;

	while ((n = read(w->from, buf, 64 << 10)) > 0)
		for (char *p = buf; n > 0; p += m, n -= m)
			if ((m = write(w->to, p, n)) <= 0)
				goto over;
over:
	shutdown(w->to, SHUT_WR);
	return NULL;
}

static struct sockaddr_in local(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

int main(int argc, char **argv)
{
	int one = 1, ln = socket(AF_INET, SOCK_STREAM, 0);

	if (argc != 3) {
		fprintf(stderr, "relay PORT BROKER-PORT\n");
		return 2;
	}
	struct sockaddr_in at = local(atoi(argv[1])), broker = local(atoi(argv[2]));

	signal(SIGPIPE, SIG_IGN);
	setsockopt(ln, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(ln, (void *)&at, sizeof at) || listen(ln, 16)) {
		perror("listen");
		return 1;
	}
	for (;;) {
		int client = accept(ln, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(server, (void *)&broker, sizeof broker)) {
			perror("connect");
			return 1;
		}
		setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		struct way *w = malloc(2 * sizeof *w);

		w[0] = (struct way){client, server};
		w[1] = (struct way){server, client};
		for (int i = 0; i < 2; i++) {
			pthread_t t;

			if (pthread_create(&t, NULL, carry, &w[i])) {
				fprintf(stderr, "no thread\n");
				return 1;
			}
		}
	}
}
