/** The schema of conditions for the page: whoever takes it from here has it with checks that the page may run. */
// Before the schema: it looks at this when it is made.
import "./checks-uncompiled.ts";

export * from "@mimikit/protocol/triggers/condition";
