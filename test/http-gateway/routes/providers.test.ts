import { expect, test } from "vitest";
import { startGateway } from "../gateway.ts";

test.each([
  { name: "an address for one that has none", body: { provider: "offline", baseUrl: "http://127.0.0.1:9/v1" } },
  { name: "a key that no header can carry", body: { provider: "llamacpp", key: "水" } },
  { name: "one that there is not", body: { provider: "__proto__" } },
])("a provider that is tried with $name is refused in words, and nothing is kept", async ({ body }) => {
  const gateway = await startGateway();
  for (const route of ["test", "connect"]) {
    const answer = await gateway.post(`/api/providers/${route}`, body);
    expect({ route, status: answer.status, text: answer.text }).toMatchObject({ route, status: 400 });
    expect(answer.json).toMatchObject({ error: { code: "invalid", message: expect.stringMatching(/\w/) } });
  }
  expect(gateway.names(".")).not.toContain("config.yaml");
  expect(gateway.names(".")).not.toContain("secrets.json");
});
