() => {
  const wide = document.querySelector('main').getBoundingClientRect().right + 1;
  for (const one of document.querySelectorAll('table, .math mjx-container, .gb-mosaic, [data-options]')) {
    for (let share = 95; one.getBoundingClientRect().right > wide && share >= 40; share -= 5) {
      one.style.fontSize = `${share}%`;
      if (share <= 70) one.style.zoom = share / 70;
    }
  }
  for (const one of document.querySelectorAll('table, .gb-table, figure, blockquote, .math'))
    if (one.getBoundingClientRect().height > 930) one.style.breakInside = 'auto';
}
