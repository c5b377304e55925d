import { describe, expect, it } from "vitest";

import { isMultipart, readMultipart, readUrlencoded, toFormMembers } from "../../server/http/multipart.ts";

async function encode(form: FormData): Promise<[Uint8Array, string]> {
  const request = new Request("http://shop.test", { method: "POST", body: form });
  return [new Uint8Array(await request.arrayBuffer()), request.headers.get("content-type") ?? ""];
}

describe("multipart bodies", () => {
  it("gives fields as text, repeated ones as a list, and files as bytes with their name", async () => {
    const form = new FormData();
    form.append("name", "Ada");
    form.append("diet", "vegan");
    form.append("diet", "halal");
    form.append("menu", new File([new Uint8Array([0, 255, 10, 13])], "menu.bin"));
    const [bytes, type] = await encode(form);
    expect(isMultipart(type)).toBe(true);
    expect(await readMultipart(bytes, type)).toEqual({
      name: "Ada",
      diet: ["vegan", "halal"],
      menu: { name: "menu.bin", content: Buffer.from([0, 255, 10, 13]) },
    });
  });

  it("leaves out the file of an input that nobody used", async () => {
    const type = "multipart/form-data; boundary=x";
    const text =
      '--x\r\nContent-Disposition: form-data; name="menu"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n';
    expect(await readMultipart(new TextEncoder().encode(text), type)).toEqual({});
  });

  it.each([
    ["no boundary in it", "multipart/form-data; boundary=x", "hello"],
    [
      "an end that is missing",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
    ],
    [
      "a part without a name",
      "multipart/form-data; boundary=x",
      "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--",
    ],
    [
      "an encoded part",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==\r\n--x--',
    ],
    ["no boundary named", "multipart/form-data; charset=utf-8", "--x--\r\n"],
  ])("400 for %s", async (_, type, text) => {
    await expect(readMultipart(new TextEncoder().encode(text), type)).rejects.toMatchObject({
      type: "bad_request",
    });
  });

  it.each(["----WebKitFormBoundary7MA4YWxkTrZu0gW", "----formdata-undici-042", '"a b=c"'])(
    "accepts the boundary %s",
    async (boundary) => {
      const delimiter = `--${boundary.replaceAll('"', "")}`;
      const text = `${delimiter}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n${delimiter}--\r\n`;
      const type = `multipart/form-data; boundary=${boundary}`;
      expect(await readMultipart(new TextEncoder().encode(text), type)).toEqual({ a: "1" });
    },
  );

  it.each([
    ["a boundary that can be read in two ways", "boundary=x; boundary=y", "bad_request", "--x--"],
    ["a boundary with an escape", String.raw`boundary="\x"`, "bad_request", "--x--"],
    // Neither is what a form looks like: it is not parsed as far as that.
    ["tiny parts", "boundary=x", "content_too_large", "--x\r\n".repeat(10_000)],
    ["long headers", "boundary=x", "content_too_large", `--x\r\n${"a: b\r\n".repeat(10_000)}\r\n`],
  ])("refuses %s before it is parsed", async (_, parameters, type, text) => {
    const sent = readMultipart(new TextEncoder().encode(text), `multipart/form-data; ${parameters}`);
    await expect(sent).rejects.toMatchObject({ type });
  });

  it("gives what an escaped name, an empty field and a delimiter within a file stand for", async () => {
    const text =
      '\r\n--x\r\nContent-Disposition: form-data; name="a%22b%0D%0A"\r\n\r\n\r\n' +
      '--x\r\ncontent-disposition: form-data; name="file"; filename="Men%C3%BC \u00fc.txt"\r\nContent-Type: text/plain\r\n\r\n' +
      "a--x\r\nb\r\n--x--\r\n";
    expect(await readMultipart(Buffer.from(text), "multipart/form-data; boundary=x")).toEqual({
      'a"b\r\n': "",
      file: { name: "Men%C3%BC \u00fc.txt", content: Buffer.from("a--x\r\nb") },
    });
  });

  it("413 for too many parts, 400 for __proto__", async () => {
    const form = new FormData();
    for (let part = 0; part < 301; part += 1) form.append(`f${part}`, "1");
    const [bytes, type] = await encode(form);
    await expect(readMultipart(bytes, type)).rejects.toMatchObject({ type: "content_too_large" });
    expect(() => readUrlencoded("a=1&".repeat(301))).toThrow("more than 300");
    expect(() => toFormMembers([["__proto__", "1"]])).toThrow("__proto__");
  });
});
