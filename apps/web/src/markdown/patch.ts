/** Brings DOM to what it should be with the fewest changes: nodes that are right already stay the same nodes. */

/** Brings the children of `parent` from `before` (some of them, side by side) to `after`. @returns what is there now. */
export function patchNodes(parent: Node, before: readonly ChildNode[], after: readonly ChildNode[]): ChildNode[] {
  const next = before.at(-1)?.nextSibling ?? null;
  const nodes = after.map((node, i) => {
    const old = before[i];
    return old === undefined ? parent.insertBefore(node, next) : patched(old, node);
  });
  for (const old of before.slice(after.length)) old.remove();
  return nodes;
}

/** @returns what stands in the place of `old`. */
function patched(old: ChildNode, node: ChildNode): ChildNode {
  if (old.isEqualNode(node)) return old;
  if (old instanceof Text && node instanceof Text && node.data.startsWith(old.data)) {
    // A selection survives only where text is added, not where it is set.
    old.appendData(node.data.slice(old.length));
    return old;
  }
  if (!old.cloneNode().isEqualNode(node.cloneNode()) || old instanceof Text) {
    old.replaceWith(node);
    return node;
  }
  patchNodes(old, [...old.childNodes], [...node.childNodes]);
  return old;
}
