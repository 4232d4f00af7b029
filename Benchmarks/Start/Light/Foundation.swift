/// Full Foundation has something to do here.
func prepare() {}
