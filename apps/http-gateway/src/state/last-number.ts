/**
 * The last of the numbers from 0 on that are taken, which have no gap; 0 where none is. It takes twice as many looks as that number
 * has binary digits.
 */
export function lastNumber(isTaken: (number: number) => boolean): number {
  let above = 1;
  while (isTaken(above)) above *= 2;
  let last = Math.floor(above / 2);
  while (above - last > 1) {
    const middle = Math.floor((last + above) / 2);
    if (isTaken(middle)) last = middle;
    else above = middle;
  }
  return last;
}
