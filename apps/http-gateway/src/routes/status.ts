/** `GET /api/status`: who answers, who is alive, how much waits. */
import type { Status } from "@mimikit/protocol/api";
import type { Request, Response } from "express";
import type { Look, View } from "../view.ts";

export function status(view: View, statusOf: (look: Look) => Promise<Status>) {
  return async (_request: Request, response: Response): Promise<void> => {
    response.json(await statusOf(await view.refresh()));
  };
}
