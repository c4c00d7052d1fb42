numbers => document.querySelectorAll('.gb-at').forEach(e => {
  const at = numbers[e.dataset.to];
  e.textContent = at ? ` (p. ${at})` : '';
})
