/** Loads the check of a trigger's machine only if one is named. */

/** @throws Failure if no machine has this name or label. */
export async function assertPoolOf(pool: string | undefined): Promise<void> {
  if (pool === undefined) return;
  const { assertPool } = await import("../../pools/named-pools.ts");
  await assertPool(pool);
}
