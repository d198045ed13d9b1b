/** The messages between the page and the frame that draws diagrams. */

export interface DrawingOrder {
  id: number;
  source: string;
  isDark: boolean;
}

export interface Drawing {
  /** That of its order. */
  id: number;
  /** undefined for a text that is no diagram. */
  svg: string | undefined;
}
