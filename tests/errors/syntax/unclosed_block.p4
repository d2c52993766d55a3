control first() {
    apply {
        if (true) {
    }
}
control second() {
    apply { }
}
