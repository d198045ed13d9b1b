/** A browser that is signed in, without a page: what it sends over HTTP, and its subscription at the push service of the test. */
import { createHash } from "node:crypto";
import type { PushLanguage } from "@mimikit/protocol/wire/push";
import { createPairing } from "@mimikit/runtime/home/pairing";
import type { PushService } from "./push-service.ts";

export class Device {
  /** Of its session. */
  readonly id: string;
  private readonly origin: string;
  private readonly cookie: string;
  private readonly secret: string;

  private constructor(origin: string, cookie: string, secret: string) {
    this.origin = origin;
    this.cookie = cookie;
    this.secret = secret;
    this.id = createHash("sha256")
      .update(cookie.slice(cookie.indexOf("=") + 1))
      .digest("hex");
  }

  /** Signs a browser in. */
  static async pair({ home, port }: { home: string; port: number }): Promise<Device> {
    const origin = `http://127.0.0.1:${port}`;
    const { code } = await createPairing(home);
    const headers = { "Content-Type": "application/json", Origin: origin };
    const answer = await fetch(`${origin}/api/pair`, { method: "POST", headers, body: JSON.stringify({ code }) });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    return new Device(origin, cookie, ((await answer.json()) as { secret: string }).secret);
  }

  /** The headers of its service worker: the cookie. */
  get workerHeaders(): Record<string, string> {
    return { Cookie: this.cookie, Origin: this.origin };
  }

  /** The headers of its page: the secret, too. */
  get pageHeaders(): Record<string, string> {
    return { ...this.workerHeaders, "X-Mimikit-Secret": this.secret };
  }

  /** Asks as its page. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
    return this.send(method, path, body, this.pageHeaders);
  }

  /** Asks as its service worker. */
  askAsWorker(path: string, body: unknown): Promise<{ status: number; json: unknown }> {
    return this.send("POST", path, body, this.workerHeaders);
  }

  /** Turns notifications on, as the settings of the page do. @returns where its pushes arrive. */
  async subscribe(service: PushService, language: PushLanguage = "en"): Promise<string> {
    const { json } = await this.ask("POST", "/api/push/key", {});
    const subscription = service.subscribe((json as { publicKey: string }).publicKey);
    const { status } = await this.ask("POST", "/api/push", { subscription, language });
    if (status !== 200) throw new Error(`subscribing was answered with ${status}`);
    return new URL(subscription.endpoint).pathname;
  }

  private async send(method: string, path: string, body: unknown, credentials: Record<string, string>) {
    const headers = { "Content-Type": "application/json", ...credentials };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.origin}${path}`, init);
    const text = await answer.text();
    return { status: answer.status, json: text === "" ? undefined : (JSON.parse(text) as unknown) };
  }
}
