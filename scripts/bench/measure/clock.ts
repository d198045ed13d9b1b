/** A clock that all processes of this machine share, in milliseconds: it never jumps. */
export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;
