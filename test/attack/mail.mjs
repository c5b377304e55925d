// The mail server of the drill, in a process of its own: reading the mails of an attack must not delay the honest customer. Sends
// `{ port }`, then each mail as `{ to, text }`.
import { text as readText } from "node:stream/consumers";

import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

const server = new SMTPServer({
  logger: false,
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  disableReverseLookup: true,
  async onData(stream, session, callback) {
    const { text } = await PostalMime.parse(await readText(stream));
    process.send({ to: session.envelope.rcptTo.map(({ address }) => address), text: text ?? "" });
    callback();
  },
});
server.on("error", () => undefined);
server.listen(0, "127.0.0.1", () => process.send({ port: server.server.address().port }));
process.once("disconnect", () => process.exit(0));
