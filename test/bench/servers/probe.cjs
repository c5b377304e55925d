const { writeFileSync } = require("node:fs");

/* Loaded before a server: measures its process when it prints that it is ready and three seconds later, and ends it. */
const write = process.stderr.write.bind(process.stderr);
const megabytes = () => process.memoryUsage.rss() / 1048576;
process.stderr.write = (text, ...rest) => {
  if (/Serving |Docs /.test(String(text))) {
    process.stderr.write = write;
    const { user, system } = process.cpuUsage();
    const result = { cpu: (user + system) / 1000, wall: process.uptime() * 1000, ready: megabytes() };
    setTimeout(() => {
      writeFileSync(process.env.PROBE_FILE, JSON.stringify({ ...result, later: megabytes() }));
      process.kill(process.pid, "SIGTERM");
    }, 3_000);
  }
  return write(text, ...rest);
};
