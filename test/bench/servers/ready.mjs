/** Listens on a free loopback port and tells the bench where, as one JSON line. */
export function ready(server, { path, token }) {
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    console.log(JSON.stringify({ ready: true, url: `http://127.0.0.1:${port}`, path, token }));
  });
  process.on("SIGTERM", () => process.exit(0));
}
