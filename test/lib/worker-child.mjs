/** Entry point of the threads in `worker-pool.test.ts`. */
export default function work({ task, value }) {
  switch (task) {
    case "echo":
      return value;
    case "process":
      return process.pid;
    case "environment":
      return Object.keys(process.env);
    case "spin":
      for (;;);
    case "exit":
      return process.exit(1);
    case "fill":
      return fill();
    default:
      throw new TypeError(`Unknown task ${task}`);
  }
}

function fill() {
  const kept = [];
  for (;;) kept.push({ text: `${kept.length}` });
}
